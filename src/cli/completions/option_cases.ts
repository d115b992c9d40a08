import type { CompletedCommand, OptionValue } from "./completion_tree.ts";

/** A pattern of a `case` over "command option", for options that take a value. */
export interface OptionCase {
  /** Such as `' --cd'|' -C'`. */
  pattern: string;
  value: OptionValue;
}

/** What bash and zsh look up to know what kind of value a word is. Words stand in single quotes. */
export function optionCases(
  commands: readonly CompletedCommand[],
): OptionCase[] {
  const cases = new Map<string, { words: string[]; value: OptionValue }>();
  for (const { name, options } of commands) {
    for (const { long, short, value } of options) {
      if (value.kind === "none") continue;
      const key = JSON.stringify(value);
      const entry = cases.get(key) ?? { words: [], value };
      entry.words.push(`${name} --${long}`);
      if (short !== undefined) entry.words.push(`${name} -${short}`);
      cases.set(key, entry);
    }
  }
  return [...cases.values()].map(({ words, value }) => ({
    pattern: words.map(quote).join("|"),
    value,
  }));
}

/** The text in single quotes, as POSIX shells, bash and zsh read it. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
