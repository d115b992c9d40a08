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
import { goalConflict, type GoalFlags, goalFlags } from "./goal_flags.ts";
import { type LimitFlags, limitFlags } from "./limit_flags.ts";
import {
  sessionConflict,
  type SessionFlags,
  sessionFlags,
} from "./session_flags.ts";

/** How the outcome of a run is told on stdout. */
export type OutputFormat = typeof OUTPUT_FORMATS[number];

/** What `tau schema` can describe. */
export type SchemaName = typeof SCHEMA_NAMES[number];

/** A word of the prompt, the place where stdin belongs, or a file to attach. */
export type PromptPart = { text: string } | { stdin: true } | { file: string };

/** Options of a run, as they were given. */
export interface RunFlags extends GoalFlags, LimitFlags, SessionFlags {
  print: boolean;
  "output-format"?: OutputFormat;
  model?: string;
  tools?: string[];
  /** Milliseconds. */
  timeout?: number;
  cd?: string;
  replay?: string;
  "system-prompt"?: string;
  "append-system-prompt"?: string;
  "no-context-files"?: boolean;
  trust?: boolean;
  "no-trust"?: boolean;
}

/** What `tau sessions` is to do; ids may be cut short. */
export type SessionsAction =
  | { action: "list"; json: boolean }
  | { action: "show" | "export"; id: string }
  | { action: "rm"; ids: string[] };

/** What a command line asks for. */
export type Invocation =
  | { kind: "help" }
  | { kind: "version" }
  | { kind: "run"; flags: RunFlags; prompt: PromptPart[] }
  | { kind: "demo"; keep: boolean }
  | { kind: "proxy"; port: number; host: string }
  | { kind: "trust"; remove: boolean }
  | { kind: "schema"; name: SchemaName }
  | { kind: "sessions"; action: SessionsAction }
  /** It cannot be understood; `message` is one line. */
  | { kind: "invalid"; message: string };

const OUTPUT_FORMATS = ["text", "json", "stream-json"] as const;
const SCHEMA_NAMES = [
  "line",
  "header",
  "event",
  "result",
  "settings",
] as const;
/** What takes no words of a prompt. */
const COMMANDS: ReadonlySet<string> = new Set([
  "demo",
  "proxy",
  "trust",
  "schema",
]);

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
  if (COMMANDS.has(kind) && literal.length > 0) {
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
    const conflict = sessionConflict(flags) ?? goalConflict(flags);
    if (conflict !== undefined) {
      this.invocation = { kind: "invalid", message: conflict };
      return;
    }
    const prompt = words.map(toPromptPart);
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
      ...goalFlags,
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
      ...limitFlags,
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
      "system-prompt": {
        kind: "parsed",
        parse: String,
        optional: true,
        brief: "what tau says of itself and its tools",
      },
      "append-system-prompt": {
        kind: "parsed",
        parse: String,
        optional: true,
        brief: "what the system prompt says besides",
      },
      "no-context-files": {
        kind: "boolean",
        optional: true,
        withNegated: false,
        brief: "read no AGENTS.md",
      },
      trust: {
        kind: "boolean",
        optional: true,
        withNegated: false,
        brief: "use .tau of the working folder",
      },
      "no-trust": {
        kind: "boolean",
        optional: true,
        withNegated: false,
        brief: "leave .tau of the working folder out",
      },
      ...sessionFlags,
      ...anyCommandFlags,
    },
    aliases: {
      p: "print",
      c: "continue",
      r: "resume",
      o: "output-last-message",
      t: "tools",
      C: "cd",
      ...anyCommandAliases,
    },
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

const trustRoute = buildCommand<
  { remove: boolean } & AnyCommandFlags,
  [],
  ParseContext
>({
  func({ help, version, remove }) {
    this.invocation = help || version
      ? { kind: help ? "help" : "version" }
      : { kind: "trust", remove };
  },
  parameters: {
    flags: {
      remove: {
        kind: "boolean",
        default: false,
        withNegated: false,
        brief: "forget the decision",
      },
      ...anyCommandFlags,
    },
    aliases: anyCommandAliases,
  },
  docs: { brief: "trust the current folder" },
});

/** No argument holds a NUL, so that this is no word that a prompt could begin with. */
const DEFAULT_COMMAND = "\0";

const schemaRoute = buildCommand<AnyCommandFlags, [string?], ParseContext>({
  func({ help, version }, word = "line") {
    const name = SCHEMA_NAMES.find((known) => known === word);
    const known = SCHEMA_NAMES.join(", ");
    this.invocation = help || version
      ? { kind: help ? "help" : "version" }
      : name
      ? { kind: "schema", name }
      : { kind: "invalid", message: `Unknown schema; known are ${known}` };
  },
  parameters: {
    flags: anyCommandFlags,
    aliases: anyCommandAliases,
    positional: {
      kind: "tuple",
      parameters: [{
        parse: String,
        optional: true,
        brief: "what to describe",
        placeholder: "name",
      }],
    },
  },
  docs: { brief: "print a JSON Schema" },
});

const sessionsRoute = buildCommand<
  { json: boolean } & AnyCommandFlags,
  string[],
  ParseContext
>({
  func({ help, version, json }, ...words) {
    if (help || version) {
      this.invocation = { kind: help ? "help" : "version" };
      return;
    }
    const action = sessionsAction(words, json);
    this.invocation = action ? { kind: "sessions", action } : invalid(
      "Expected one of: tau sessions list [--json], show ID, export ID, rm ID…; a prompt that begins with such a word goes behind --",
    );
  },
  parameters: {
    flags: {
      json: {
        kind: "boolean",
        default: false,
        withNegated: false,
        brief: "list in JSON",
      },
      ...anyCommandFlags,
    },
    aliases: anyCommandAliases,
    positional: {
      kind: "array",
      parameter: { parse: String, brief: "what to do", placeholder: "word" },
    },
  },
  docs: { brief: "list, show, export and remove sessions" },
});

function sessionsAction(
  [action = "list", ...ids]: readonly string[],
  json: boolean,
): SessionsAction | undefined {
  const [id, ...more] = ids;
  if (action === "list") return id ? undefined : { action, json };
  if (json || id === undefined) return undefined;
  if (action === "rm") return { action, ids };
  if (action !== "show" && action !== "export") return undefined;
  return more.length === 0 ? { action, id } : undefined;
}

/** Looked up by words of prompts, so without what an object inherits. */
const ROUTES = Object.assign(Object.create(null) as Record<never, never>, {
  demo: demoRoute,
  proxy: proxyRoute,
  trust: trustRoute,
  schema: schemaRoute,
  sessions: sessionsRoute,
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

function toPromptPart(word: string): PromptPart {
  if (word === "-") return { stdin: true };
  return /^@./s.test(word) ? { file: word.slice(1) } : { text: word };
}

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
