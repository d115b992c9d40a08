import {
  AliasNotFoundError,
  ArgumentParseError,
  FlagNotFoundError,
  UnexpectedFlagError,
  UnsatisfiedFlagError,
} from "@stricli/core";
import { nearestKey } from "../../model/nearest_key.ts";
import { type Command, COMMANDS } from "./command_table.ts";
import type { Options } from "./option_table.ts";

/** One line on an error of the scanner, or on an argument that it was not shown. */
export function describeProblem(problem: unknown, options: Options): string {
  if (typeof problem === "string") {
    const name = /^--([\w-]+)=/.exec(problem)?.[1];
    return name !== undefined && Object.hasOwn(options, name)
      ? missingValue(name, options)
      : unknownOption(problem, options);
  }
  if (problem instanceof FlagNotFoundError) {
    return unknownOption(`--${problem.input}`, options);
  }
  if (problem instanceof AliasNotFoundError) {
    return unknownOption(`-${problem.input}`, options);
  }
  if (problem instanceof ArgumentParseError) {
    const { exception, externalFlagNameOrPlaceholder: name } = problem;
    const why = exception instanceof SyntaxError
      ? "it takes no value"
      : exception instanceof Error
      ? exception.message
      : String(exception);
    return `Wrong value ${quote(problem.input)} for --${name}: ${why}`;
  }
  if (problem instanceof UnsatisfiedFlagError) {
    return missingValue(problem.externalFlagName, options);
  }
  if (problem instanceof UnexpectedFlagError) {
    return `Option --${problem.externalFlagName} is given more than once`;
  }
  throw problem;
}

function unknownOption(option: string, options: Options): string {
  const name = /^--([^]+)/.exec(option)?.[1];
  const isElsewhere = name !== undefined &&
    Object.values(COMMANDS).some((command) =>
      Object.hasOwn(command.options, name)
    );
  if (isElsewhere) return `Option ${option} does not go with this command`;
  const known = Object.keys(options);
  const nearest = name === undefined
    ? undefined
    : nearestKey(name, known) ?? known.find((one) => one.startsWith(name));
  const hint = nearest === undefined
    ? "tau --help lists them. To send a prompt that begins with a dash, write: tau -- -…"
    : `did you mean --${nearest}`;
  return `Unknown option ${quote(option)}; ${hint}`;
}

function missingValue(name: string, options: Options): string {
  const { bare, value } = options[name] ?? {};
  // A word behind an option that can stand alone is one of the prompt.
  const between = bare === undefined ? " " : "=";
  return `Option --${name} needs a value, such as --${name}${between}${
    value?.example ?? "VALUE"
  }`;
}

/** One line on words that a command does not take. */
export function describeWords(
  name: string,
  { words: wanted, actions, options: all }: Command,
  words: readonly string[],
): string {
  const line = [name, ...words].join(" ");
  const prompt = /^[\w./ -]{1,60}$/.test(line) ? line : `${name} …`;
  const instead =
    `to send a prompt that begins with "${name}", write: tau -- ${prompt}`;
  if (!actions) {
    return `Unexpected argument ${
      quote(words[wanted ? 1 : 0] ?? "")
    }; ${instead}`;
  }
  const known = Object.entries(actions).map(
    ([action, { words = "", options = Object.keys(all) }]) =>
      [action, words, ...options.map((option) => `[--${option}]`)]
        .filter((part) => part !== "").join(" "),
  );
  return `Expected one of: tau ${name} ${known.join(", ")}; ${instead}`;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
