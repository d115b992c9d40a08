import {
  buildApplication,
  buildCommand,
  type Command as Route,
  type CommandContext,
  type FlagParametersForType,
  run,
  text_en,
} from "@stricli/core";
import {
  type Command,
  type CommandLine,
  type CommandName,
  COMMANDS,
} from "./command_table.ts";
import {
  COMMON_OPTIONS,
  type Option,
  type Options,
  OUTPUT_FORMATS,
  type OutputFormat,
} from "./option_table.ts";

/** A command line that cannot be understood; the message is one line. */
export class ArgumentError extends Error {}

/** Understands a command line. Starts and reads nothing. Rejects with an {@linkcode ArgumentError}. */
export async function parseArguments(
  args: readonly string[],
): Promise<CommandLine> {
  const escape = args.indexOf("--");
  const head = escape === -1 ? args : args.slice(0, escape);
  const tail = escape === -1 ? [] : args.slice(escape + 1);
  const [first = ""] = head;
  const command = Object.hasOwn(COMMANDS, first) ? first as CommandName : "";
  const row: Command = COMMANDS[command];
  const options: Options = { ...row.options, ...COMMON_OPTIONS };
  const { flags, words, problem } = await scan(
    command === "" ? head : head.slice(1),
    options,
  );
  if (problem !== undefined) {
    const { describeProblem } = await import("./argument_problem.ts");
    throw new ArgumentError(describeProblem(problem, options));
  }
  const { help, version, ...given } = flags;
  if (help) {
    const named = command === "" ? [] : [command];
    return { command: "help", given: {}, words: named, literal: [] };
  }
  if (version) {
    return { command: "version", given: {}, words: [], literal: [] };
  }
  const conflict = conflictOf(given, options);
  if (conflict !== undefined) throw new ArgumentError(conflict);
  if (command === "") return { command, given, words, literal: tail };
  words.push(...tail);
  const [action] = Object.keys(row.actions ?? {});
  if (action && words.length === 0 && !row.needsAction) words.push(action);
  if (!areRight(words, row, given)) {
    const { describeWords } = await import("./argument_problem.ts");
    throw new ArgumentError(describeWords(command, row, words));
  }
  return { command, given, words, literal: [] };
}

/** A line on options that do not go together; undefined where all do. */
function conflictOf(given: object, options: Options): string | undefined {
  const names = Object.keys(given);
  for (const name of names) {
    const { excludes = [], needs } = options[name] as Option;
    const others = names.filter((other) => excludes.includes(other));
    if (others.length > 0) {
      const all = [name, ...others].map((one) => `--${one}`).join(" and ");
      return `Options ${all} do not go together`;
    }
    if (needs && !needs.options.some((other) => names.includes(other))) {
      return `Option --${name} ${needs.message}`;
    }
  }
  return undefined;
}

/** True for words that a command, or one of its actions, takes with these options. */
function areRight(
  words: readonly string[],
  { words: wanted, actions }: Command,
  given: object,
): boolean {
  if (!actions) {
    return wanted?.includes("…") || words.length <= (wanted ? 1 : 0);
  }
  const [name = "", ...more] = words;
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (!action) return false;
  const { words: place, options } = action;
  return (place?.includes("…")
    ? more.length > 0
    : more.length === (place ? 1 : 0)) &&
    Object.keys(given).every((option) => options?.includes(option) ?? true);
}

/** The output format of a command line that may be wrong elsewhere. */
export function requestedFormat(args: readonly string[]): OutputFormat {
  const end = args.indexOf("--");
  const head = end === -1 ? args : args.slice(0, end);
  const at = head.findLastIndex((arg) => arg.startsWith("--output-format"));
  const value = head[at]?.split("=")[1] ??
    (at === -1 ? undefined : head[at + 1]);
  return OUTPUT_FORMATS.find((format) => format === value) ?? "text";
}

interface Scanned {
  flags: Record<string, unknown>;
  words: string[];
  /** An error of the scanner, or an argument that it must not see. */
  problem?: unknown;
}

/** Has the scanner of arguments read what the table says there can be. */
async function scan(
  args: readonly string[],
  options: Options,
): Promise<Scanned> {
  const strange = args.find(isStrangeOption);
  if (strange !== undefined) return { flags: {}, words: [], problem: strange };
  const scanned: Scanned = { flags: {}, words: [] };
  const route = buildCommand<Record<string, unknown>, string[], CommandContext>(
    {
      func(flags, ...words) {
        scanned.flags = givenOf(flags, options);
        scanned.words = words;
      },
      parameters: {
        ...flagsOf(args, options),
        positional: {
          kind: "array",
          parameter: { parse: String, brief: "", placeholder: "word" },
        },
      },
      docs: { brief: "" },
    },
  );
  const application = buildApplication(route as Route<CommandContext>, {
    name: "tau",
    localization: {
      text: {
        ...text_en,
        exceptionWhileParsingArguments(problem) {
          scanned.problem = problem;
          return "";
        },
      },
    },
  }, {});
  const ignore = { write: () => {} };
  await run(application, withBareValues(args, options), {
    process: { stdout: ignore, stderr: ignore },
  });
  return scanned;
}

/** The options that were given; a list of lists of names becomes one list. */
function givenOf(
  flags: Record<string, unknown>,
  options: Options,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(flags).flatMap(([name, value]) => {
      if (value === undefined || value === false) return [];
      return [[
        name,
        options[name]?.isList ? (value as unknown[]).flat() : value,
      ]];
    }),
  );
}

/** The scanner's flags and aliases of those options that the arguments name: it takes time for each that it is given. */
function flagsOf(args: readonly string[], options: Options): {
  flags: FlagParametersForType<Record<string, unknown>>;
  aliases: Record<string, string>;
} {
  const named = new Set(
    args.flatMap((arg) =>
      arg.startsWith("--") ? arg.slice(2).split("=", 1) : [...arg]
    ),
  );
  const flags: Record<string, object> = {};
  const aliases: Record<string, string> = {};
  for (const [name, { short, value, isList }] of Object.entries(options)) {
    if (!named.has(name) && !named.has(short ?? name)) continue;
    if (short !== undefined) aliases[short] = name;
    flags[name] = value === undefined
      ? { kind: "boolean", optional: true, withNegated: false, brief: "" }
      : {
        kind: "parsed",
        parse: value.parse,
        optional: true,
        brief: "",
        ...(isList ? { variadic: true } : {}),
      };
  }
  return {
    flags: flags as FlagParametersForType<Record<string, unknown>>,
    aliases,
  };
}

/** An option that may stand alone takes no word of the prompt for its value. */
function withBareValues(args: readonly string[], options: Options): string[] {
  return args.map((arg) => {
    const bare = options[arg.slice(2)]?.bare;
    return bare !== undefined && arg.startsWith("--") ? `${arg}=${bare}` : arg;
  });
}

/**
 * True for what stands where an option should and would be taken for a word of
 * the prompt, or for a property that every object has. A prompt that begins
 * with a dash is one argument with spaces, or stands behind `--`.
 */
function isStrangeOption(arg: string): boolean {
  if (!arg.startsWith("-") || arg === "-") return false;
  const name = /^--([a-z][a-z.\d_-]+)(?:=.+)?$/i.exec(arg)?.[1];
  if (name !== undefined) return name in Object.prototype;
  if (/^-[a-z]+$|^-[a-z]=.+$/i.test(arg)) return false;
  return !/\s/.test(arg) || /^--[\w-]+=/.test(arg);
}
