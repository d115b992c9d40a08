import { matchesSteps } from "./matches_steps.ts";

const MAX_ALTERNATIVES = 64;

/** The reason why a pattern could match no path, and how one would; undefined when it can. */
export function pathPatternProblem(pattern: string): string | undefined {
  const text = pattern.trim();
  if (text === "") return "the pattern is empty; name paths";
  if (text.includes("\0")) return "no path holds a NUL; name paths";
  if (text.startsWith("!")) {
    return "a pattern cannot begin with !; write what is meant as a rule of another list";
  }
  if (text.split("/").includes("..")) {
    return "real paths hold no ..; name an absolute path, or one below the working folder";
  }
  if (text.startsWith("~") && !/^~(\/|$)/.test(text)) {
    return "only ~/ stands for a home folder, the user's own";
  }
  const alternatives = expandBraces(text);
  if (alternatives === undefined) {
    return `braces must be closed and mean ${MAX_ALTERNATIVES} patterns at most; name paths`;
  }
  return alternatives.some((one) => one.split("/").some(isBadPart))
    ? "a [ must be closed and not be empty, and no pattern ends with \\; name paths"
    : undefined;
}

/**
 * A pattern as absolute ones without braces. Where it has no slash but at its
 * end it is looked for in every folder; `**` at its beginning stands for any
 * folder, all else that is relative begins at `cwd`.
 */
export function absolutePatterns(
  pattern: string,
  { cwd, homeDir }: { cwd: string; homeDir?: string | undefined },
): string[] {
  return (expandBraces(pattern.trim()) ?? []).map((one) => {
    const text = one.replace(/^(\.\/)+/, "").replace(/(?<=.)\/+$/, "");
    if (text.startsWith("/")) return text;
    if (text === "~" || text.startsWith("~/")) {
      // Without a home folder nothing is in it.
      return `${escapePattern(homeDir ?? "/\0")}${text.slice(1)}`;
    }
    if (text.startsWith("**")) return `/${text}`;
    if (text === "." || text === "") return escapePattern(cwd);
    return text.includes("/")
      ? `${escapePattern(cwd === "/" ? "" : cwd)}/${text}`
      : `/**/${text}`;
  });
}

/** The folder that a pattern's wildcards begin in, and the rest of the pattern; no folder when they begin at once. */
export function splitPattern(
  pattern: string,
): { folder: string; rest: string } {
  const parts = pattern.split("/");
  const first = parts.findIndex((part) =>
    /[*?[]/.test(part.replace(/\\./g, ""))
  );
  const plain = first === -1 ? parts : parts.slice(0, first);
  return {
    folder: plain.join("/").replace(/\\(.)/g, "$1"),
    rest: first === -1 ? "" : `/${parts.slice(first).join("/")}`,
  };
}

/** A path as a pattern of itself. */
export function escapePattern(path: string): string {
  return path.replace(/[\\*?[\]{}]/g, "\\$&");
}

/** True when an absolute pattern matches an absolute path, or with `below` a folder above it. */
export function matchesPath(
  pattern: string,
  path: string,
  { below }: { below: boolean },
): boolean {
  const parts = path.split("/").filter((part) => part !== "");
  const wanted = pattern.split("/").filter((part) => part !== "");
  if (below) wanted.push("**");
  return matchesSteps(wanted, parts, { star: "**", fits: matchesPart });
}

type Token = "*" | "?" | { has(character: string): boolean };

const tokensOf = new Map<string, Token[] | undefined>();
const MAX_REMEMBERED = 1000;

/** One part of a path, names that begin with a dot too; by steps, since a regular expression could take for ever. */
function matchesPart(pattern: string, name: string): boolean {
  let tokens = tokensOf.get(pattern);
  if (!tokens) {
    if (tokensOf.size >= MAX_REMEMBERED) tokensOf.clear();
    tokens = tokenize(pattern) ?? [];
    tokensOf.set(pattern, tokens);
  }
  return matchesSteps<Token, string>(tokens, [...name], {
    star: "*",
    fits: (token, character) =>
      token === "?" || (token !== "*" && token.has(character)),
  });
}

function isBadPart(part: string): boolean {
  return tokenize(part) === undefined;
}

/** Undefined for a part that is not closed. */
function tokenize(part: string): Token[] | undefined {
  const tokens: Token[] = [];
  const characters = [...part];
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i] as string;
    if (character === "*" || character === "?") {
      // Several stars in a part are one.
      if (character === "?" || tokens.at(-1) !== "*") tokens.push(character);
    } else if (character === "[") {
      const end = characters.indexOf("]", i + 2);
      if (end === -1) return undefined;
      tokens.push(characterClass(characters.slice(i + 1, end)));
      i = end;
    } else {
      const literal = character === "\\" ? characters[++i] : character;
      if (literal === undefined) return undefined;
      tokens.push(new Set([literal]));
    }
  }
  return tokens;
}

/** Matches a class between brackets: characters and ranges, `!` or `^` first for all others. */
function characterClass(
  members: string[],
): { has(character: string): boolean } {
  const isNegated = members[0] === "!" || members[0] === "^";
  const rest = isNegated ? members.slice(1) : members;
  const ranges: [string, string][] = [];
  for (let i = 0; i < rest.length; i++) {
    const first = rest[i] as string;
    const isRange = rest[i + 1] === "-" && rest[i + 2] !== undefined;
    ranges.push([first, isRange ? rest[i += 2] as string : first]);
  }
  const isMember = (character: string) =>
    ranges.some(([first, last]) => character >= first && character <= last);
  return { has: (character) => isMember(character) !== isNegated };
}

/** `a{b,c}` as `ab` and `ac`; undefined for braces that are not closed, or mean too much. */
function expandBraces(pattern: string): string[] | undefined {
  const open = indexOfPlain(pattern, "{", 0);
  if (open === -1) {
    return indexOfPlain(pattern, "}", 0) === -1 ? [pattern] : undefined;
  }
  const choices: string[] = [];
  let depth = 0;
  let from = open + 1;
  for (let i = open; i < pattern.length; i++) {
    const character = pattern[i];
    if (character === "\\") i++;
    else if (character === "{") depth++;
    else if (character === "," && depth === 1) {
      choices.push(pattern.slice(from, i));
      from = i + 1;
    } else if (character === "}" && --depth === 0) {
      choices.push(pattern.slice(from, i));
      const head = pattern.slice(0, open);
      const tail = pattern.slice(i + 1);
      return expandAll(choices.map((choice) => head + choice + tail));
    }
  }
  return undefined;
}

function expandAll(patterns: string[]): string[] | undefined {
  const expanded: string[] = [];
  for (const pattern of patterns) {
    const more = expandBraces(pattern);
    if (!more || expanded.length + more.length > MAX_ALTERNATIVES) {
      return undefined;
    }
    expanded.push(...more);
  }
  return expanded;
}

function indexOfPlain(text: string, wanted: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === wanted) return i;
  }
  return -1;
}
