import {
  AliasNotFoundError,
  ArgumentParseError,
  EnumValidationError,
  FlagNotFoundError,
  UnexpectedFlagError,
  UnexpectedPositionalError,
  UnsatisfiedFlagError,
} from "@stricli/core";

/** Values that options take, for error messages; what has FILE or DIR in it is a path. */
export const PLACEHOLDERS: Readonly<Record<string, string>> = {
  "output-format": "text|json|stream-json",
  "output-last-message": "FILE",
  "output-schema": "FILE",
  check: '"npm test"',
  "check-retries": "2",
  model: "PROVIDER/ID",
  tools: "read,bash",
  "exclude-tools": "bash",
  "max-turns": "20",
  "max-tool-calls": "100",
  "max-repeats": "8",
  "max-budget-usd": "2.50",
  "max-retries": "3",
  "on-limit": "stop|summarize",
  timeout: "300",
  "allow-tool": '"bash(npm test*)"',
  "deny-tool": '"bash(git push*)"',
  sandbox: "auto|require|off",
  profile: "read-only|strict|workspace|full",
  "add-dir": "DIR",
  "allow-read": "FILE",
  "allow-write": "DIR",
  "allow-net": "example.com",
  "pass-env": "NAME,NAME",
  cd: "DIR",
  record: "FILE",
  replay: "FILE",
  "system-prompt": "FILE",
  "append-system-prompt": '"use tabs"',
  resume: "ID",
  session: "FILE",
  "plugin-flag": "NAME=VALUE",
  port: "7878",
  host: "127.0.0.1",
};

/** One line on what the scanner of arguments stumbled over. */
export function describeProblem(problem: unknown): string {
  if (problem instanceof FlagNotFoundError) {
    return unknownOption(`--${problem.input}`, problem.corrections[0]);
  }
  if (problem instanceof AliasNotFoundError) {
    return unknownOption(`-${problem.input}`);
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
  if (problem instanceof EnumValidationError) {
    const values = problem.values.join(", ");
    return `Wrong value ${
      quote(problem.input)
    } for --${problem.externalFlagName}: expected one of ${values}`;
  }
  if (problem instanceof UnsatisfiedFlagError) {
    return missingValue(problem.externalFlagName);
  }
  if (problem instanceof UnexpectedFlagError) {
    return `Option --${problem.externalFlagName} is given more than once`;
  }
  if (problem instanceof UnexpectedPositionalError) {
    return tooMuch(problem.input);
  }
  throw problem;
}

/**
 * True for what stands where an option should and would be taken for a word of
 * the prompt, or for a property that every object has. A prompt that begins
 * with a dash is one argument with spaces, or stands behind `--`.
 */
export function isStrangeOption(arg: string): boolean {
  if (!arg.startsWith("-") || arg === "-") return false;
  const name = /^--([a-z][a-z.\d_-]+)(?:=.+)?$/i.exec(arg)?.[1];
  if (name !== undefined) return name in Object.prototype;
  if (/^-[a-z]+$|^-[a-z]=.+$/i.test(arg)) return false;
  return !/\s/.test(arg) || /^--[\w-]+=/.test(arg);
}

/** One line on an argument that {@linkcode isStrangeOption} found. */
export function describeStrangeOption(arg: string): string {
  const name = /^--([\w-]+)=/.exec(arg)?.[1];
  return name !== undefined && Object.hasOwn(PLACEHOLDERS, name)
    ? missingValue(name)
    : unknownOption(arg);
}

function unknownOption(option: string, correction?: string): string {
  if (Object.hasOwn(PLACEHOLDERS, option.slice(2))) {
    return `Option ${option} does not go with this command`;
  }
  const nearest = correction ??
    Object.keys(PLACEHOLDERS).find((name) => `--${name}`.startsWith(option));
  const hint = nearest === undefined
    ? "tau --help lists them, and a prompt that begins with a dash goes behind --"
    : `did you mean --${nearest}`;
  return `Unknown option ${quote(option)}; ${hint}`;
}

function missingValue(name: string): string {
  // A word behind a bare `--allow-net` is one of the prompt.
  const between = name === "allow-net" ? "=" : " ";
  return `Option --${name} needs a value, such as --${name}${between}${
    PLACEHOLDERS[name] ?? "VALUE"
  }`;
}

/** One line on a word behind a command that takes none. */
export function tooMuch(word: string): string {
  return `${
    quote(word)
  } is one word too many for this command; a prompt that begins with its name goes behind --`;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
