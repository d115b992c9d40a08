import {
  buildApplication,
  buildCommand,
  buildRouteMap,
  type CommandContext,
  run,
  text_en,
} from "@stricli/core";
import {
  describeProblem,
  describeStrangeOption,
  isStrangeOption,
  tooMuch,
} from "./argument_problem.ts";
import { parseDuration } from "./duration.ts";

/** How the outcome of a run is told on stdout. */
export type OutputFormat = typeof OUTPUT_FORMATS[number];

/** A word of the prompt, or the place where stdin belongs. */
export type PromptPart = { text: string } | { stdin: true };

/** Options of a run, as they were given. */
export interface RunFlags {
  print: boolean;
  "output-format"?: OutputFormat;
  model?: string;
  tools?: string[];
  "max-turns"?: number;
  /** Milliseconds. */
  timeout?: number;
  cd?: string;
  replay?: string;
}

/** What a command line asks for. */
export type Invocation =
  | { kind: "help" }
  | { kind: "version" }
  | { kind: "run"; flags: RunFlags; prompt: PromptPart[] }
  | { kind: "demo"; keep: boolean }
  | { kind: "proxy"; port: number; host: string }
  /** It cannot be understood; `message` is one line. */
  | { kind: "invalid"; message: string };

const OUTPUT_FORMATS = ["text", "json", "stream-json"] as const;
const MAX_TURNS = 1_000_000;

interface ParseContext extends CommandContext {
  invocation?: Invocation;
}

/** Understands a command line. Starts and reads nothing. */
export async function parseCommandLine(
  args: readonly string[],
): Promise<Invocation> {
  const escape = args.indexOf("--");
  const head = escape === -1 ? args : args.slice(0, escape);
  const literal = escape === -1 ? [] : args.slice(escape + 1);
  const strange = head.find(isStrangeOption);
  if (strange !== undefined) return invalid(describeStrangeOption(strange));
  const problems: string[] = [];
  const context: ParseContext & { process: { exitCode?: number } } = {
    process: {
      stdout: { write: () => {} },
      stderr: { write: (text) => problems.push(text.trim()) },
    },
  };
  await run(application, head, context);
  const { invocation } = context;
  if (problems.length > 0 || !invocation) {
    return invalid(problems[0] ?? "Cannot understand these arguments");
  }
  const { kind } = invocation;
  if (kind === "run") {
    invocation.prompt.push(...literal.map((text) => ({ text })));
  }
  if ((kind === "demo" || kind === "proxy") && literal.length > 0) {
    return invalid(tooMuch(literal[0] as string));
  }
  return invocation;
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

/** Options of every command. */
interface AnyCommandFlags {
  help: boolean;
  version: boolean;
}

const anyCommandFlags = {
  help: {
    kind: "boolean",
    default: false,
    withNegated: false,
    brief: "show help",
  },
  version: {
    kind: "boolean",
    default: false,
    withNegated: false,
    brief: "show the version",
  },
} as const;

const anyCommandAliases = { h: "help", v: "version" } as const;

const runRoute = buildCommand<
  RunFlags & AnyCommandFlags,
  string[],
  ParseContext
>({
  func({ help, version, ...flags }, ...words) {
    if (help || version) {
      this.invocation = { kind: help ? "help" : "version" };
      return;
    }
    const prompt = words.map((text): PromptPart =>
      text === "-" ? { stdin: true } : { text }
    );
    this.invocation = { kind: "run", flags, prompt };
  },
  parameters: {
    flags: {
      print: {
        kind: "boolean",
        default: false,
        withNegated: false,
        brief: "run without a conversation",
      },
      "output-format": {
        kind: "enum",
        values: OUTPUT_FORMATS,
        optional: true,
        brief: "what stdout gets",
      },
      model: {
        kind: "parsed",
        parse: parseModel,
        optional: true,
        brief: "the model",
      },
      tools: {
        kind: "parsed",
        parse: parseTools,
        optional: true,
        brief: "the active tools",
      },
      "max-turns": {
        kind: "parsed",
        parse: parseMaxTurns,
        optional: true,
        brief: "end after this many model responses",
      },
      timeout: {
        kind: "parsed",
        parse: parseTimeout,
        optional: true,
        brief: "end after this time",
      },
      cd: {
        kind: "parsed",
        parse: parseFileName,
        optional: true,
        brief: "work in this folder",
      },
      replay: {
        kind: "parsed",
        parse: parseFileName,
        optional: true,
        brief: "answer from a recording",
      },
      ...anyCommandFlags,
    },
    aliases: { p: "print", t: "tools", C: "cd", ...anyCommandAliases },
    positional: {
      kind: "array",
      parameter: { parse: String, brief: "the prompt", placeholder: "prompt" },
    },
  },
  docs: { brief: "run a prompt" },
});

const demoRoute = buildCommand<
  { keep: boolean } & AnyCommandFlags,
  [],
  ParseContext
>({
  func({ help, version, keep }) {
    this.invocation = help || version
      ? { kind: help ? "help" : "version" }
      : { kind: "demo", keep };
  },
  parameters: {
    flags: {
      keep: {
        kind: "boolean",
        default: false,
        withNegated: false,
        brief: "keep the project",
      },
      ...anyCommandFlags,
    },
    aliases: anyCommandAliases,
  },
  docs: { brief: "watch a recorded run" },
});

const proxyRoute = buildCommand<
  { port: number; host: string } & AnyCommandFlags,
  [],
  ParseContext
>({
  func({ help, version, port, host }) {
    this.invocation = help || version
      ? { kind: help ? "help" : "version" }
      : { kind: "proxy", port, host };
  },
  parameters: {
    flags: {
      port: {
        kind: "parsed",
        parse: parsePort,
        default: "7878",
        brief: "the port to listen on",
      },
      host: {
        kind: "parsed",
        parse: parseHost,
        default: "127.0.0.1",
        brief: "the address to listen on",
      },
      ...anyCommandFlags,
    },
    aliases: anyCommandAliases,
  },
  docs: { brief: "answer model requests for others" },
});

/** No argument holds a NUL, so that this is no word that a prompt could begin with. */
const DEFAULT_COMMAND = "\0";

/** Looked up by words of prompts, so without what an object inherits. */
const ROUTES = Object.assign(Object.create(null) as Record<never, never>, {
  demo: demoRoute,
  proxy: proxyRoute,
  [DEFAULT_COMMAND]: runRoute,
});

const application = buildApplication(
  buildRouteMap({
    routes: ROUTES,
    defaultCommand: DEFAULT_COMMAND,
    docs: { brief: "tau" },
  }),
  {
    name: "tau",
    scanner: {
      distanceOptions: {
        threshold: 4,
        weights: {
          insertion: 1,
          deletion: 3,
          substitution: 2,
          transposition: 0,
        },
      },
    },
    localization: {
      text: { ...text_en, exceptionWhileParsingArguments: describeProblem },
    },
  },
  // Help and version are options like others, so that they too are proposed.
  {},
);

function parseModel(text: string): string {
  if (/^[\w@.:/+-]{1,200}$/.test(text)) return text;
  throw new Error("expected provider/id, such as anthropic/claude-sonnet-4-5");
}

function parseTools(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.every((name) => /^[\w-]{1,64}$/.test(name))) {
    return [...new Set(names)];
  }
  throw new Error("expected names between commas, such as read,grep,find,ls");
}

function parseMaxTurns(text: string): number {
  const turns = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (turns >= 1 && turns <= MAX_TURNS) return turns;
  throw new Error(`expected a whole number from 1 to ${MAX_TURNS}`);
}

function parseTimeout(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  throw new Error(
    "expected seconds, or a number and a unit, such as 300, 90s, 5m, 1h",
  );
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port >= 0 && port <= 65535) return port;
  throw new Error("expected a number from 0 to 65535; 0 takes a free one");
}

function parseHost(text: string): string {
  if (/^[\w.:-]{1,253}$/.test(text)) return text;
  throw new Error("expected an address, such as 127.0.0.1");
}

function parseFileName(text: string): string {
  if (text !== "" && !text.includes("\0")) return text;
  throw new Error("expected a path");
}

function invalid(message: string): Invocation {
  return { kind: "invalid", message };
}
