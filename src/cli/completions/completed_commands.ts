import { type Command, COMMANDS } from "../options/command_table.ts";
import { COMMON_OPTIONS, type Option } from "../options/option_table.ts";
import type { Value } from "../options/values.ts";

/** A command as a shell completes it. */
export interface CompletedCommand {
  /** Empty for the command that needs no name: running a prompt. */
  name: string;
  brief: string;
  options: CompletedOption[];
  /** Words that may stand behind the name. */
  words: readonly string[];
}

/** An option in all its spellings. */
export interface CompletedOption {
  long: string;
  /** One letter. */
  short: string | undefined;
  brief: string;
  /** Proposals for its value; undefined for an option without one. */
  offer: Value<unknown>["offer"] | undefined;
}

/** A pattern of a `case` over "command option", for options that take a value. */
export interface OptionCase {
  /** Such as `' --cd'|' -C'`. */
  pattern: string;
  offer: Value<unknown>["offer"];
}

/** All commands, the one without a name first. */
export function completedCommands(): CompletedCommand[] {
  return Object.entries<Command>(COMMANDS).map(
    ([name, { help, options, actions = {} }]) => ({
      name,
      brief: brief(help),
      options: Object.entries<Option>({ ...options, ...COMMON_OPTIONS })
        .map(([long, { help, short, value }]) => ({
          long,
          short,
          brief: brief(help),
          offer: value?.offer,
        })),
      words: name === "help"
        ? Object.keys(COMMANDS).filter((name) => name !== "")
        : Object.keys(actions),
    }),
  );
}

/** Patterns by which bash and zsh find what to offer for a value. Words stand in single quotes. */
export function optionCases(
  commands: readonly CompletedCommand[],
): OptionCase[] {
  const cases = new Map<string, OptionCase>();
  for (const { name, options } of commands) {
    for (const { long, short, offer } of options) {
      if (offer === undefined) continue;
      const spelled = [
        `--${long}`,
        ...short === undefined ? [] : [`-${short}`],
      ];
      const words = spelled.map((word) => quote(`${name} ${word}`)).join("|");
      const key = String(offer);
      const before = cases.get(key);
      const pattern = before ? `${before.pattern}|${words}` : words;
      cases.set(key, { pattern, offer });
    }
  }
  return [...cases.values()];
}

/** The text in single quotes, as POSIX shells, bash and zsh read it. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The first part of a help text, without marks of code. */
function brief(help: string): string {
  return help.split(/; |: |\. /, 1)[0]?.replaceAll("`", "") ?? "";
}
