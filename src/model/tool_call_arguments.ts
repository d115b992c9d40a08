import type { JsonObject, JsonValue } from "./content.ts";
import { isObject, MAX_JSON_DEPTH, setMember } from "./json_values.ts";
import { cutText } from "./cut_text.ts";

/** The arguments of a call as its text gives them. */
export interface ParsedArguments {
  /** `{}` when the text did not parse. */
  arguments: JsonObject;
  /** The reason why the text did not parse, and the text. */
  argumentsError?: string;
}

const MAX_RECEIVED_CHARACTERS = 2000;
/** A text up to here is read anew at each piece. */
const SHORT_CHARACTERS = 512;
/** A text up to here is read anew when it has doubled, a longer one only at its end: the cost is linear. */
const SHOWN_CHARACTERS = 65_536;

/** Parses the argument text of a call. */
export function parseToolCallArguments(text: string): ParsedArguments {
  const parser = new LenientParser(text);
  const value = parser.parse();
  if (parser.end === "whole" && isObject(value)) return { arguments: value };
  // Some servers say so where there are no arguments.
  if (text.trim() === "" || text.trim() === "null") return { arguments: {} };
  const received = cutText(text, MAX_RECEIVED_CHARACTERS);
  return {
    arguments: {},
    argumentsError: `${parser.fault()}\n\nReceived arguments:\n${received}`,
  };
}

/** Parses JSON as leniently as arguments are; `undefined` for what is none. */
export function parseLenientJson(text: string): JsonValue | undefined {
  const parser = new LenientParser(text);
  const value = parser.parse();
  return parser.end === "whole" ? value : undefined;
}

/**
 * Reads the arguments of a call while they arrive.
 *
 * `append` returns the object so far, `{}` while the text is none: complete
 * members, and strings as far as they go; a number, a literal or an escape shows
 * once it is complete. Past {@linkcode SHORT_CHARACTERS} characters it lags
 * behind, past {@linkcode SHOWN_CHARACTERS} it shows nothing new; `finish` reads
 * all. What was returned is never changed later. After a syntax error `append`
 * returns what came before the error, and `finish` tells. Neither throws.
 *
 * The value is that of `JSON.parse`, except that control characters and
 * backslashes which JSON does not allow in a string are taken literally, and
 * that nesting is limited.
 */
export class ToolCallArgumentsStream {
  #text = "";
  #readCharacters = 0;
  #shown: JsonObject = {};

  /** Takes the next piece of the text. */
  append(delta: string): JsonObject {
    this.#text += delta;
    const { length } = this.#text;
    const isDue = length <= SHORT_CHARACTERS ||
      (length >= 2 * this.#readCharacters && length <= SHOWN_CHARACTERS);
    if (!isDue) return this.#shown;
    this.#readCharacters = length;
    const value = new LenientParser(this.#text).parse();
    return this.#shown = isObject(value) ? value : {};
  }

  /** Ends the text. */
  finish(): ParsedArguments {
    return parseToolCallArguments(this.#text);
  }
}

/** A parser of JSON that also gives the value of half a text. */
class LenientParser {
  /** End of the text: after one value, in the midst of it, or at a fault. */
  end: "whole" | "cut" | "wrong" | "too deep" = "whole";
  readonly #text: string;
  #at = 0;
  /** Offsets of what was taken literally. */
  readonly #repairs: number[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  parse(): JsonValue | undefined {
    const value = this.#value(0);
    if (this.end === "whole" && this.#peek() !== "") this.end = "wrong";
    return value;
  }

  /** The reason why the text is not an object. */
  fault(): string {
    if (this.end === "whole") return "Tool arguments must be a JSON object";
    if (this.end === "too deep") {
      return `Tool arguments are nested more than ${MAX_JSON_DEPTH} levels deep`;
    }
    try {
      JSON.parse(this.#repaired());
    } catch (error) {
      if (error instanceof SyntaxError) return error.message;
      throw error;
    }
    return "Tool arguments are not valid JSON";
  }

  /** The next character that is no space; empty at the end. */
  #peek(): string {
    this.#take(/[ \n\r\t]*/y);
    return this.#text.charAt(this.#at);
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ""] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }

  #stop(): undefined {
    this.end = this.#at < this.#text.length ? "wrong" : "cut";
  }

  #value(depth: number): JsonValue | undefined {
    const first = this.#peek();
    if (first === '"') return this.#string();
    if (first === "{" || first === "[") {
      if (depth === MAX_JSON_DEPTH) return void (this.end = "too deep");
      this.#at++;
      return first === "{" ? this.#object(depth) : this.#array(depth);
    }
    const literal = this.#take(/[\w+.-]*/y);
    // More of it may come, unless it is all there is.
    const isOpen = this.#at === this.#text.length && depth > 0;
    if (literal === "" || isOpen) return this.#stop();
    try {
      return JSON.parse(literal);
    } catch {
      this.end = "wrong";
      return undefined;
    }
  }

  #object(depth: number): JsonObject {
    const object: JsonObject = {};
    for (let isFirst = true;; isFirst = false) {
      const next = this.#peek();
      if (next === "}" && isFirst) break;
      if (next !== '"') return this.#stop() ?? object;
      const name = this.#string();
      if (this.end !== "whole") return object;
      if (this.#peek() !== ":") return this.#stop() ?? object;
      this.#at++;
      const value = this.#value(depth + 1);
      if (value !== undefined) setMember(object, name, value);
      if (!this.#takesComma("}")) break;
    }
    if (this.end === "whole") this.#at++;
    return object;
  }

  #array(depth: number): JsonValue[] {
    const array: JsonValue[] = [];
    if (this.#peek() === "]") this.#at++;
    else {
      do {
        const value = this.#value(depth + 1);
        if (value !== undefined) array.push(value);
      } while (this.#takesComma("]"));
      if (this.end === "whole") this.#at++;
    }
    return array;
  }

  /** Takes the comma before another member; false at `close` and at a fault. */
  #takesComma(close: string): boolean {
    if (this.end !== "whole") return false;
    const next = this.#peek();
    if (next === ",") this.#at++;
    else if (next !== close) this.#stop();
    return next === ",";
  }

  #string(): string {
    this.#at++;
    let text = "";
    while (true) {
      // deno-lint-ignore no-control-regex -- JSON wants these escaped
      text += this.#take(/[^"\\\x00-\x1f]*/y);
      const character = this.#text.charAt(this.#at);
      if (character === '"') {
        this.#at++;
        return text;
      }
      if (character === "") return this.#stop() ?? text;
      const escape = this.#take(/\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y);
      if (escape !== "") {
        text += JSON.parse(`"${escape}"`);
        continue;
      }
      // Half an escape at the end may still become one.
      if (this.#take(/\\(?:u[\da-fA-F]{0,3})?$/y) !== "") {
        return this.#stop() ?? text;
      }
      // As in "C:\windows": the backslash is one, and what follows is text.
      this.#repairs.push(this.#at++);
      text += character;
    }
  }

  /** Writes what was taken literally as JSON wants it. */
  #repaired(): string {
    let from = 0;
    const parts = this.#repairs.map((at) => {
      const before = this.#text.slice(from, at);
      from = at + 1;
      return before + JSON.stringify(this.#text.charAt(at)).slice(1, -1);
    });
    return parts.join("") + this.#text.slice(from);
  }
}
