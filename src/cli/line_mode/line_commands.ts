/** A line that begins with `/` and is for tau itself. */
export interface LineCommand {
  name: LineCommandName;
  /** The words behind the name. */
  argument: string;
}

/** Longest help line, in characters. */
const MAX_LENGTH = 200;

const COMMANDS = {
  help: "lists the commands",
  model: "the model; with a name, another one from the next request on",
  new: "begin another session",
  resume:
    "go on with an earlier session of this folder, or the one with this id",
  compact: "replace the first part of the conversation by a summary",
  reload: "load plugins again whose files have changed",
  session: "which session this is and where it is stored",
  permissions: "what this run may touch",
  quit: "end tau",
} as const;

/** The commands of the line mode. */
export type LineCommandName = keyof typeof COMMANDS;

/** The command that a line is; undefined for any other line. */
export function parseLineCommand(line: string): LineCommand | undefined {
  const [, word = "", argument = ""] =
    /^\/([\w-]+)(?:\s+([^]*))?$/.exec(line) ??
      [];
  return Object.hasOwn(COMMANDS, word)
    ? { name: word as LineCommandName, argument: argument.trim() }
    : undefined;
}

/** All that can be typed, a line each; `prompts` are the skills, templates and commands of plugins that there are. */
export function helpLines(
  prompts: readonly { name: string; description?: string }[] = [],
): string[] {
  const commands = Object.entries(COMMANDS).map(([name, brief]) =>
    `  /${name.padEnd(12)} ${brief}`
  );
  const names = prompts.map(({ name, description = "" }) =>
    `  /${name.padEnd(12)} ${description}`.slice(0, MAX_LENGTH).trimEnd()
  );
  return [
    "A line is a prompt; while the model works, it is sent with the next request.",
    ...commands,
    "  !command      run a command; the model is told of it (!!command: is not)",
    '  @file         in a prompt: attach a file; @"a file" where it has spaces',
    "Alt-Enter begins a new line. Ctrl-C stops the run; Ctrl-C twice or Ctrl-D ends tau.",
    ...(names.length === 0
      ? []
      : ["Prompt templates, skills and commands of plugins:", ...names]),
  ];
}
