import { readOwnData } from "./read_own.ts";

/** Longest content of a result in Unicode code points, {@linkcode TRUNCATED} included. */
export const MAX_CONTENT_CHARACTERS = 4096;

const TRUNCATED = "\n[Tool output truncated]";
const MAX_DEPTH = 32;
const MAX_NODES = 128;
const MAX_VISITS = 256;
const MAX_STRING_CHARACTERS = 4096;
const MAX_BIGINT_BITS = 4096n;

/**
 * Output of a tool as text: a string as it is, anything else as JSON with
 * sorted keys. Throws a `TypeError` for what is neither plain nor null-prototype
 * objects, arrays and primitives.
 *
 * No code of the output's author runs: accessors are left out (`null` in an
 * array). A cycle shows as `"[Circular]"`, a BigInt as its digits in quotes.
 * What exceeds the bounds is left out, and the text then ends with a line that
 * says so.
 *
 * `isProxy` comes from `node:util/types`, which costs start-up time and is
 * therefore the caller's to load.
 */
export function safeText(
  output: unknown,
  isProxy: (value: unknown) => boolean,
): string {
  if (typeof output === "string") return withinLimit(output, false);
  const writer = new SafeWriter(isProxy);
  const text = writer.write(output, 0);
  return withinLimit(text, writer.truncated);
}

/** Error content of a result: JSON that is whole, its message cut where need be. */
export function errorContent(code: string, message: string): string {
  const content = (message: string) =>
    JSON.stringify({ error: { code, message } });
  let text = content(message.slice(0, MAX_CONTENT_CHARACTERS * 2));
  // Escapes can make a text six times as long, so halve until it fits.
  for (
    let max = MAX_CONTENT_CHARACTERS;
    cutCharacters(text, MAX_CONTENT_CHARACTERS) !== text;
    max = Math.floor(max / 2)
  ) text = content(cutCharacters(message, max) + TRUNCATED);
  return text;
}

class SafeWriter {
  readonly #isProxy: (value: unknown) => boolean;
  /** The objects that the value being written is in. */
  readonly #open = new Set<object>();
  #nodes = 0;
  #visits = 0;
  truncated = false;

  constructor(isProxy: (value: unknown) => boolean) {
    this.#isProxy = isProxy;
  }

  write(value: unknown, depth: number): string {
    this.#nodes++;
    switch (typeof value) {
      case "string":
        return this.#string(value);
      case "bigint":
        return this.#bigint(value);
      case "number":
      case "boolean":
        return JSON.stringify(value);
      case "undefined":
        return "null";
      case "object":
        return value === null ? "null" : this.#collection(value, depth);
      default:
        throw new TypeError(`The output holds a ${typeof value}`);
    }
  }

  #string(text: string): string {
    const cut = cutCharacters(text, MAX_STRING_CHARACTERS);
    if (cut !== text) this.truncated = true;
    return JSON.stringify(cut);
  }

  #bigint(value: bigint): string {
    const size = value < 0n ? -value : value;
    if (size >> MAX_BIGINT_BITS === 0n) return `"${value}"`;
    return this.#leftOut();
  }

  #collection(value: object, depth: number): string {
    // Before anything else: even Array.isArray() throws for a revoked one.
    if (this.#isProxy(value)) throw new TypeError("The output holds a Proxy");
    const isArray = Array.isArray(value);
    const prototype = Object.getPrototypeOf(value);
    const isPlain = isArray
      ? prototype === Array.prototype
      : prototype === Object.prototype || prototype === null;
    if (!isPlain) {
      throw new TypeError("The output holds an object that is not plain");
    }
    if (this.#open.has(value)) return '"[Circular]"';
    if (depth === MAX_DEPTH) return this.#leftOut();
    this.#open.add(value);
    const text = isArray
      ? `[${this.#items(value, depth).join()}]`
      : `{${this.#members(value, depth).join()}}`;
    this.#open.delete(value);
    return text;
  }

  #items(array: unknown[], depth: number): string[] {
    const texts: string[] = [];
    for (let i = 0; i < array.length && this.#mayVisit(); i++) {
      texts.push(this.write(readOwnData(array, i), depth + 1));
    }
    return texts;
  }

  #members(object: object, depth: number): string[] {
    const texts: string[] = [];
    const keys = Object.keys(object);
    const left = MAX_VISITS - this.#visits;
    if (keys.length > left) this.truncated = true;
    for (const key of firstSorted(keys, left)) {
      if (!this.#mayVisit()) break;
      const member = readOwnData(object, key);
      if (member === undefined) continue;
      if (cutCharacters(key, MAX_STRING_CHARACTERS) !== key) {
        this.truncated = true;
        continue;
      }
      texts.push(`${JSON.stringify(key)}:${this.write(member, depth + 1)}`);
    }
    return texts;
  }

  /** True when one more member of a collection may be looked at. */
  #mayVisit(): boolean {
    const may = this.#visits < MAX_VISITS && this.#nodes < MAX_NODES;
    if (may) this.#visits++;
    else this.truncated = true;
    return may;
  }

  #leftOut(): string {
    this.truncated = true;
    return '"[Left out]"';
  }
}

function withinLimit(text: string, isTruncated: boolean): string {
  const whole = cutCharacters(text, MAX_CONTENT_CHARACTERS);
  if (!isTruncated && whole === text) return text.toWellFormed();
  const cut = cutCharacters(text, MAX_CONTENT_CHARACTERS - TRUNCATED.length);
  return cut.toWellFormed() + TRUNCATED;
}

/** The first code points of a text. */
function cutCharacters(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = 0;
  for (let n = 0; n < max && end < text.length; n++) {
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

/** The first `count` of the keys in their order, without sorting all of them: a million takes long. */
function firstSorted(keys: readonly string[], count: number): string[] {
  const first = keys.slice(0, count).sort();
  for (const key of keys.slice(count)) {
    const last = first.at(-1);
    if (last === undefined || key >= last) continue;
    const at = first.findIndex((one) => key < one);
    first.splice(at, 0, key);
    first.pop();
  }
  return first;
}
