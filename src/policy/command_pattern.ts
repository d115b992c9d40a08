import { matchesSteps } from "./matches_steps.ts";

/** Stands in a command's text for what is known only when it runs. */
export const UNKNOWN = "\uE000";

/** The reason why a pattern could match no simple command, and how one would; undefined when it can. */
export function commandPatternProblem(pattern: string): string | undefined {
  const text = pattern.trim();
  if (text === "") return "the pattern is empty; name a command";
  if (text.includes("\0") || text.includes(UNKNOWN)) {
    return "the pattern holds a character that no command has; name a command";
  }
  if (text.endsWith(":*")) {
    return "a command with any arguments ends with * and no colon";
  }
  return /[\n;|&<>`]|\$\(/.test(text)
    ? "a pattern is looked for in each command of a line by itself, so it holds no ; | & < > ` or $(; name one command"
    : undefined;
}

/** True when a pattern, in which `*` is any text and all else itself, matches the whole of a text. */
export function matchesText(pattern: string, text: string): boolean {
  return matchesSteps(pattern, text, {
    star: "*",
    fits: (step, character) => step === character,
  });
}

/** True when a pattern could match a text, whatever its unknown parts turn out to be. */
export function mayMatchText(pattern: string, text: string): boolean {
  if (!text.includes(UNKNOWN)) return matchesText(pattern, text);
  // row[i]: the text so far can be what the first i characters match.
  let row = [true];
  for (let i = 0; i < pattern.length; i++) {
    row.push(row[i] === true && pattern[i] === "*");
  }
  for (const character of text) {
    const isUnknown = character === UNKNOWN;
    const next = [isUnknown && row[0] === true];
    for (let i = 0; i < pattern.length; i++) {
      const isStar = pattern[i] === "*";
      next.push(
        isUnknown || isStar
          ? next[i] === true || row[i + 1] === true ||
            (isUnknown && row[i] === true)
          : row[i] === true && pattern[i] === character,
      );
    }
    row = next;
  }
  return row[pattern.length] === true;
}
