import type { JsonObject, JsonValue } from "./content.ts";
import { MAX_JSON_DEPTH } from "./copy_json.ts";
import { cutText } from "./cut_text.ts";
import { GrowingJson, isObject } from "./growing_json.ts";

/** What became of the argument text of a call. */
export interface ParsedArguments {
  /** `{}` when the text did not parse. */
  arguments: JsonObject;
  /** Why the text did not parse, and the text. */
  argumentsError?: string;
}

/** Parses the argument text of a call at once; equal to streaming it in any cut. */
export function parseToolCallArguments(text: string): ParsedArguments {
  const stream = new ToolCallArgumentsStream();
  stream.append(text);
  return stream.finish();
}

/** Parses JSON as leniently as arguments are; `undefined` for what is none. */
export function parseLenientJson(text: string): JsonValue | undefined {
  const stream = new ToolCallArgumentsStream();
  stream.append(text);
  return stream.finishValue();
}

/**
 * Reads the arguments of a call while they arrive.
 *
 * `append` returns the object so far, `{}` while the text is none: complete
 * members, and strings as far as they go; a number, a literal or an escape
 * shows once it is complete. What was returned is never changed later. After a
 * syntax error it returns what came before the error, and `finish` tells.
 * Neither throws.
 *
 * The value is that of `JSON.parse`, except that control characters and
 * backslashes which JSON does not allow in a string are taken literally, and
 * that nesting is limited.
 *
 * The cost is linear in the text. To keep it so, what `append` returns may lag
 * behind when the open containers have many thousand members; `finish` never
 * does. Looking at the characters of a growing string makes the engine copy
 * it: do so at the rate of a screen, not at each delta.
 */
export class ToolCallArgumentsStream {
  #state: State = "value";
  #value = new GrowingJson();
  /** The string that is being read, without a half escape at its end. */
  #text = "";
  /** How much of it is in the value; -1 when not even that there is a string. */
  #shownLength = -1;
  /** Whether that string is the name of a member. */
  #isName = false;
  /** The escape that is being read, without its backslash. */
  #escape = "";
  /** The number, `true`, `false` or `null` that is being read. */
  #literal = "";
  #isTooDeep = false;

  #chunks: string[] = [];
  /** Length of the chunks before the one that is being read. */
  #offset = 0;
  /** Offsets of control characters and backslashes that were taken literally. */
  #repairs: number[] = [];

  /** Takes the next piece of the text. */
  append(delta: string): JsonObject {
    this.#chunks.push(delta);
    this.#read(delta);
    this.#offset += delta.length;
    return this.#value.snapshot(delta.length);
  }

  /** Ends the text. */
  finish(): ParsedArguments {
    const value = this.finishValue();
    if (isObject(value)) return { arguments: value };
    const text = this.#chunks.join("");
    // Some servers say so where there are no arguments.
    if (value === null || text.trim() === "") return { arguments: {} };
    const received = cutText(text, MAX_RECEIVED_CHARACTERS);
    return {
      arguments: {},
      argumentsError: `${
        this.#fault(text)
      }\n\nReceived arguments:\n${received}`,
    };
  }

  /** Ends the text; its value, be it an object or not, when it is complete. */
  finishValue(): JsonValue | undefined {
    if (this.#state === "literal") this.#endLiteral();
    return this.#state === "end" ? this.#value.root : undefined;
  }

  #fault(text: string): string {
    if (this.#state === "end") return "Tool arguments must be a JSON object";
    if (this.#isTooDeep) {
      return `Tool arguments are nested more than ${MAX_JSON_DEPTH} levels deep`;
    }
    try {
      JSON.parse(repaired(text, this.#repairs));
    } catch (error) {
      if (error instanceof SyntaxError) return error.message;
      throw error;
    }
    return "Tool arguments are not valid JSON";
  }

  #read(delta: string): void {
    let at = 0;
    while (at < delta.length && this.#state !== "failed") {
      if (this.#state === "text") at = this.#readText(delta, at);
      else if (this.#state === "escape") at = this.#readEscape(delta, at);
      else if (this.#state === "literal") at = this.#readLiteral(delta, at);
      else at = this.#readToken(delta, at);
    }
    const isInText = this.#state === "text" || this.#state === "escape";
    const hasGrown = this.#text.length > this.#shownLength;
    if (isInText && hasGrown && !this.#isName) {
      this.#value.put(this.#text);
      this.#shownLength = this.#text.length;
    }
  }

  #readText(delta: string, start: number): number {
    let at = start;
    let code = 0;
    for (; at < delta.length; at++) {
      code = delta.charCodeAt(at);
      if (code === QUOTE || code === BACKSLASH) break;
      if (code < SPACE) this.#repairs.push(this.#offset + at);
    }
    this.#text += delta.slice(start, at);
    if (at === delta.length) return at;
    if (code === QUOTE) this.#endText();
    else this.#state = "escape";
    return at + 1;
  }

  #readEscape(delta: string, at: number): number {
    const character = delta.charAt(at);
    const escape = this.#escape + character;
    const meaning = ESCAPES.get(escape) ?? unicodeEscape(escape);
    const isInvalid = meaning === undefined;
    if (meaning === "") {
      this.#escape = escape;
      return at + 1;
    }
    this.#state = "text";
    if (isInvalid) {
      // As in "C:\windows": the backslash is one, and what follows is text.
      this.#repairs.push(this.#offset + at - escape.length);
      this.#text += `\\${this.#escape}`;
    } else {
      this.#text += meaning;
    }
    this.#escape = "";
    return isInvalid ? at : at + 1;
  }

  #readLiteral(delta: string, start: number): number {
    let at = start;
    while (at < delta.length && isLiteralCode(delta.charCodeAt(at))) at++;
    this.#literal += delta.slice(start, at);
    if (at < delta.length) this.#endLiteral();
    return at;
  }

  #readToken(delta: string, at: number): number {
    const character = delta.charAt(at);
    if (SPACES.includes(character)) return at + 1;
    const state = this.#state;
    if (state === "value" || state === "value or ]") {
      if (character === '"') {
        this.#startText({ isName: false });
        return at + 1;
      }
      if (character === "{" || character === "[") {
        this.#openContainer(character);
        return at + 1;
      }
      if (isLiteralCode(delta.charCodeAt(at))) {
        this.#literal = "";
        this.#state = "literal";
        return at;
      }
    }
    if (character === '"' && (state === "name" || state === "name or }")) {
      this.#startText({ isName: true });
    } else if (character === ":" && state === ":") {
      this.#state = "value";
    } else if (character === "," && state === ", or }") {
      this.#state = "name";
    } else if (character === "," && state === ", or ]") {
      this.#state = "value";
    } else if (
      character === "}" && (state === "name or }" || state === ", or }") ||
      character === "]" && (state === "value or ]" || state === ", or ]")
    ) {
      this.#value.closeContainer();
      this.#continueContainer();
    } else {
      this.#state = "failed";
    }
    return at + 1;
  }

  #startText({ isName }: { isName: boolean }): void {
    this.#state = "text";
    this.#isName = isName;
    this.#text = "";
    this.#shownLength = -1;
  }

  #endText(): void {
    if (this.#isName) {
      this.#value.nameMember(this.#text);
      this.#state = ":";
    } else {
      this.#endValue(this.#text);
    }
  }

  #endLiteral(): void {
    let value: JsonValue;
    try {
      value = JSON.parse(this.#literal);
    } catch {
      this.#state = "failed";
      return;
    }
    this.#endValue(value);
  }

  #endValue(value: JsonValue): void {
    this.#value.put(value);
    this.#value.endValue();
    this.#continueContainer();
  }

  #openContainer(character: "{" | "["): void {
    if (this.#value.depth === MAX_JSON_DEPTH) {
      this.#isTooDeep = true;
      this.#state = "failed";
    } else if (character === "{") {
      this.#value.openContainer({});
      this.#state = "name or }";
    } else {
      this.#value.openContainer([]);
      this.#state = "value or ]";
    }
  }

  #continueContainer(): void {
    const { innermost } = this.#value;
    if (innermost === undefined) this.#state = "end";
    else this.#state = innermost === "array" ? ", or ]" : ", or }";
  }
}

/** What comes next, or what is being read. */
type State =
  | "value"
  | "value or ]"
  | ", or ]"
  | "name"
  | "name or }"
  | ":"
  | ", or }"
  | "text"
  | "escape"
  | "literal"
  | "end"
  | "failed";

const MAX_RECEIVED_CHARACTERS = 2000;

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACES = " \n\r\t";
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/** The character that `u` and four digits mean; empty while more are to come, `undefined` for what is none. */
function unicodeEscape(escape: string): string | undefined {
  if (!/^u[0-9a-fA-F]{0,4}$/.test(escape)) return undefined;
  if (escape.length < 5) return "";
  return String.fromCharCode(parseInt(escape.slice(1), 16));
}

/** True for letters, digits, `+`, `-` and `.`. */
function isLiteralCode(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) || code === 0x2b || code === 0x2d ||
    code === 0x2e;
}

/** The text with what was taken literally written as JSON wants it. */
function repaired(text: string, repairs: readonly number[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const at of repairs) {
    const code = text.charCodeAt(at);
    parts.push(text.slice(from, at));
    parts.push(
      code === BACKSLASH ? "\\\\" : `\\u${code.toString(16).padStart(4, "0")}`,
    );
    from = at + 1;
  }
  parts.push(text.slice(from));
  return parts.join("");
}
