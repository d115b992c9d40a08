/** A place in a text, counted from 1. */
export interface TextPosition {
  line: number;
  column: number;
}

const SPACE = /[ \t\n\r]*/y;
// deno-lint-ignore no-control-regex -- they must be escaped in JSON
const STRING = /"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Tokens that may come next: a value, a key, or what follows either. */
type Expected = "value" | "value or ]" | "key" | "key or }" | "after";

/**
 * Finds where a text stops being JSON. The errors of `JSON.parse` name a place only
 * sometimes. Made for texts that are known to be wrong; the end otherwise.
 */
export function jsonFaultPosition(source: string): TextPosition {
  let at = 0;
  const open: ("{" | "[")[] = [];
  let expected: Expected = "value";
  const skip = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(source)?.[0];
    at += found?.length ?? 0;
    return found !== undefined;
  };
  while (true) {
    skip(SPACE);
    const next = source[at];
    if (next === undefined) break;
    const inside = open.at(-1);
    if (expected === "after") {
      if (next === "," && inside) {
        expected = inside === "{" ? "key" : "value";
      } else if (next === (inside === "{" ? "}" : "]") && inside) open.pop();
      else break;
      at++;
    } else if (expected === "key" || expected === "key or }") {
      if (next === "}" && expected === "key or }") {
        at++;
        open.pop();
        expected = "after";
        continue;
      }
      if (!skip(STRING)) break;
      skip(SPACE);
      if (source[at] !== ":") break;
      at++;
      expected = "value";
    } else if (next === "{" || next === "[") {
      at++;
      open.push(next);
      expected = next === "{" ? "key or }" : "value or ]";
    } else if (next === "]" && expected === "value or ]") {
      at++;
      open.pop();
      expected = "after";
    } else {
      if (!skip(next === '"' ? STRING : SCALAR)) break;
      expected = "after";
    }
  }
  const before = source.slice(0, at).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
