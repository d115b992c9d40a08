import { UNKNOWN } from "./command_pattern.ts";

/** The commands that a command runs in its turn. */
export interface Wrapped {
  /** Each as its words. */
  commands?: string[][];
  /** Lines of shell. */
  scripts?: string[];
  /** Variables that it sets for them. */
  assignments?: string[];
  /** A rule for what it runs is enough. */
  innerRuleSuffices: boolean;
  /** The reason why some of what it runs is not known. */
  unclear?: string;
}

/** Options of a command in front of the command that it runs. */
interface WrapperOptions {
  /** Letters of options without a value. */
  plain?: string;
  /** Letters of options with one, in the same word or the next. */
  valued?: string;
  /** Letters of options whose value, if there is one, is the rest of the word. */
  attached?: string;
  /** Long options without a value. */
  long?: string[];
  /** Long options with one, behind `=` or as the next word. */
  longValued?: string[];
  /** Words that are no options before the command. */
  operands?: number;
  /** `NAME=value` may stand before the command. */
  takesAssignments?: boolean;
  /** A dash alone is an option, too. */
  takesDash?: boolean;
  /** It reads words from elsewhere and puts them behind the command. */
  addsWords?: boolean;
  /** An allow rule for the inner command is not enough (sudo, doas). */
  needsOwnRule?: boolean;
}

const WRAPPERS: Readonly<Record<string, WrapperOptions>> = Object.assign(
  Object.create(null) as Record<string, WrapperOptions>,
  {
    env: {
      plain: "i0v",
      valued: "uC",
      long: ["ignore-environment", "null", "debug"],
      longValued: ["unset", "chdir"],
      takesAssignments: true,
      takesDash: true,
    },
    sudo: {
      plain: "AbEeHKknPSsiBN",
      valued: "ughpCDRTUr",
      long: ["non-interactive", "preserve-env", "login", "shell", "set-home"],
      longValued: ["user", "group", "host", "prompt", "chdir", "chroot"],
      takesAssignments: true,
      needsOwnRule: true,
    },
    doas: { plain: "nsL", valued: "uC", needsOwnRule: true },
    xargs: {
      plain: "0prtxo",
      valued: "adEILnPs",
      attached: "eil",
      long: ["null", "no-run-if-empty", "verbose", "interactive", "exit"],
      longValued: [
        ...["arg-file", "delimiter", "replace", "max-lines", "max-args"],
        ...["max-procs", "max-chars", "eof", "process-slot-var"],
      ],
      addsWords: true,
    },
    timeout: {
      plain: "fpv",
      valued: "ks",
      long: ["foreground", "preserve-status", "verbose"],
      longValued: ["kill-after", "signal"],
      operands: 1,
    },
    nice: { plain: "0123456789", valued: "n", longValued: ["adjustment"] },
    ionice: { plain: "t", valued: "cn", longValued: ["class", "classdata"] },
    nohup: {},
    stdbuf: { valued: "ioe", longValued: ["input", "output", "error"] },
    setsid: { plain: "cfw", long: ["ctty", "fork", "wait"] },
    time: {
      plain: "apqvV",
      valued: "fo",
      long: ["append", "portability", "verbose"],
      longValued: ["format", "output"],
    },
    command: { plain: "p" },
    builtin: {},
    busybox: {},
    toybox: {},
    exec: { plain: "cl", valued: "a" },
  } satisfies Record<string, WrapperOptions>,
);

const SHELLS: ReadonlySet<string> = new Set([
  ...["sh", "bash", "dash", "ash", "zsh", "ksh", "rbash"],
]);
const FIND_RUNS: ReadonlySet<string> = new Set([
  ...["-exec", "-execdir", "-ok", "-okdir"],
]);
const HIDDEN = "what it runs is known only when it runs";
const ODD = "it has options that are not known here";

/** Finds the commands that a command runs in its turn; undefined when it runs nothing that is known here. */
export function unwrap(words: readonly string[]): Wrapped | undefined {
  const [program = "", ...args] = words;
  const name = program.slice(program.lastIndexOf("/") + 1);
  if (SHELLS.has(name)) return unwrapShell(args);
  if (name === "find") return unwrapFind(args);
  if (name === "eval") {
    return unwrapText(args.slice(args[0] === "--" ? 1 : 0).join(" "));
  }
  if (name === "trap") return unwrapTrap(args);
  if (name === "source" || name === ".") return unwrapSource(args);
  const options = WRAPPERS[name];
  if (!options) return undefined;
  const innerRuleSuffices = !options.needsOwnRule;
  // It only says where the command is.
  if (name === "command" && /^-p?[vV]/.test(args[0] ?? "")) return undefined;
  const start = skipOptions(args, options);
  if (start === undefined) return { innerRuleSuffices, unclear: ODD };
  const assignments: string[] = [];
  let at = start;
  while (options.takesAssignments && args[at]?.includes("=")) {
    assignments.push(args[at++] as string);
  }
  if (assignments.length > 0 && args[at]?.startsWith("-")) {
    return { innerRuleSuffices, unclear: ODD };
  }
  at += options.operands ?? 0;
  const command = args.slice(at);
  const before = args.slice(0, at).join("");
  if (before.includes(UNKNOWN)) return { innerRuleSuffices, unclear: HIDDEN };
  if (command.length === 0) return { innerRuleSuffices };
  if (options.addsWords) command.push(UNKNOWN);
  const places = replacedPlaces(name, args.slice(0, start));
  return {
    innerRuleSuffices,
    assignments,
    commands: [
      command.map((word) =>
        places === undefined ? word : word.replaceAll(places, UNKNOWN)
      ),
    ],
  };
}

/** The place where the command begins; undefined when an option is not known. */
function skipOptions(
  args: readonly string[],
  {
    plain = "",
    valued = "",
    attached = "",
    long = [],
    longValued = [],
    takesDash = false,
  }: WrapperOptions,
): number | undefined {
  let at = 0;
  while (at < args.length) {
    const arg = args[at] as string;
    if (arg === "--") return at + 1;
    if (arg === "-" && takesDash) {
      at++;
      continue;
    }
    if (arg === "-" || !arg.startsWith("-")) return at;
    if (arg.startsWith("--")) {
      const [name = "", value] = arg.slice(2).split("=", 2);
      if (long.includes(name)) at++;
      else if (longValued.includes(name)) at += value === undefined ? 2 : 1;
      else return undefined;
      continue;
    }
    const letters = [...arg.slice(1)];
    const end = letters.findIndex((letter) => !plain.includes(letter));
    const letter = letters[end];
    if (letter === undefined || attached.includes(letter)) at++;
    else if (!valued.includes(letter)) return undefined;
    else at += end === letters.length - 1 ? 2 : 1;
  }
  return at;
}

/** The text that xargs replaces by the words that it reads. */
function replacedPlaces(
  name: string,
  options: readonly string[],
): string | undefined {
  if (name !== "xargs") return undefined;
  for (const [i, option] of options.entries()) {
    if (option === "-I") return options[i + 1] || undefined;
    if (option.startsWith("-I")) return option.slice(2);
    if (option.startsWith("--replace=")) return option.slice(10) || "{}";
    if (/^(-i|--replace$)/.test(option)) return option.slice(2) || "{}";
  }
  return undefined;
}

function unwrapShell(args: readonly string[]): Wrapped {
  const innerRuleSuffices = true;
  let hasScript = false;
  let readsInput = false;
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] as string;
    if (arg.includes(UNKNOWN)) return { innerRuleSuffices, unclear: HIDDEN };
    if (arg === "--" || arg === "-") {
      at++;
      break;
    }
    if (!/^[-+]./.test(arg)) break;
    if (/^--(rcfile|init-file)$/.test(arg)) at++;
    else if (!arg.startsWith("--")) {
      if (arg.startsWith("-") && arg.includes("c")) hasScript = true;
      if (arg.startsWith("-") && arg.includes("s")) readsInput = true;
      // `-o` and `-O` take the name of an option.
      if (/[oO]$/.test(arg)) at++;
    }
  }
  const operand = args[at];
  if (hasScript) return unwrapText(operand ?? "");
  return operand === undefined || readsInput || isOpenFile(operand)
    ? { innerRuleSuffices, unclear: HIDDEN }
    : { innerRuleSuffices: false };
}

/** A script that is a pipe or a here-document. */
function isOpenFile(path: string): boolean {
  return path.includes(UNKNOWN) ||
    /^\/(dev\/(stdin|fd\/)|proc\/(self|\d+)\/fd\/)/.test(path);
}

function unwrapSource([file = ""]: readonly string[]): Wrapped | undefined {
  return isOpenFile(file)
    ? { innerRuleSuffices: false, unclear: HIDDEN }
    : undefined;
}

function unwrapFind(args: readonly string[]): Wrapped | undefined {
  const commands: string[][] = [];
  let hasUnknown = false;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string;
    if (arg.includes(UNKNOWN)) hasUnknown = true;
    // It ends a command that began in what is not known.
    if (hasUnknown && isEndOfRun(args, at)) {
      return { innerRuleSuffices: false, unclear: HIDDEN };
    }
    if (!FIND_RUNS.has(arg)) continue;
    const rest = args.slice(at + 1);
    const end = rest.findIndex((_, i) => isEndOfRun(rest, i));
    const command = end === -1 ? rest : rest.slice(0, end);
    commands.push(command.map((word) => word.replaceAll("{}", UNKNOWN)));
    at += command.length + 1;
  }
  return commands.length > 0
    ? { innerRuleSuffices: false, commands }
    : undefined;
}

function isEndOfRun(words: readonly string[], at: number): boolean {
  return words[at] === ";" || (words[at] === "+" && words[at - 1] === "{}");
}

function unwrapTrap(args: readonly string[]): Wrapped | undefined {
  const operands = args[0] === "--" ? args.slice(1) : args;
  const [action, ...signals] = operands;
  const runs = action !== undefined && signals.length > 0 && action !== "-";
  return runs && !/^-[lpP]/.test(action) ? unwrapText(action) : undefined;
}

function unwrapText(text: string): Wrapped {
  return text.includes(UNKNOWN)
    ? { innerRuleSuffices: true, unclear: HIDDEN }
    : { innerRuleSuffices: true, scripts: [text] };
}
