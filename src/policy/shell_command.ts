import { UNKNOWN } from "./command_pattern.ts";

/** A simple command, as far as it is known before it runs. */
export interface ShellCommand {
  /** The name and its arguments without quotes; none of a line that only sets variables. What is not known is `UNKNOWN`. */
  words: string[];
  /** Variables that are set for it, as `NAME=value`. */
  assignments: string[];
  /** Commands that it runs in its turn, such as the `rm` of `xargs rm`. */
  inner: ShellCommand[];
  /** An allow rule for what it runs is enough. */
  innerRuleSuffices: boolean;
}

/** Commands of a line of shell. */
export interface ShellScript {
  commands: ShellCommand[];
  /** It writes a file by itself, as in `> file`. */
  writesFile: boolean;
  /** The reason why some of what it runs is not known; absent when all is. */
  unclear?: string;
}

/** A command and all that it runs. */
export function* withInner(
  commands: readonly ShellCommand[],
): Iterable<ShellCommand> {
  for (const command of commands) {
    yield command;
    yield* withInner(command.inner);
  }
}

/** A command as patterns see it: one space between words, quotes only around words that need them. */
export function commandText({ assignments, words }: ShellCommand): string {
  return [...assignments, ...words].map(quoted).join(" ");
}

/** Texts that deny and ask rules are compared with: the command without its variables, and without the folder of its program. */
export function spellings(command: ShellCommand): string[] {
  const [name = "", ...rest] = command.words;
  const base = name.slice(name.lastIndexOf("/") + 1);
  return [
    ...new Set([
      commandText(command),
      [name, ...rest].map(quoted).join(" "),
      [base, ...rest].map(quoted).join(" "),
    ]),
  ];
}

/** A command line for people, cut short. */
export function shownCommand(command: ShellCommand): string {
  const text = commandText(command).replaceAll(UNKNOWN, "…");
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function quoted(word: string): string {
  return word === "" || /\s/.test(word) ? `'${word}'` : word;
}
