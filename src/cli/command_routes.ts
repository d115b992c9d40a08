import {
  buildApplication,
  buildCommand,
  buildRouteMap,
  type CommandContext,
  text_en,
} from "@stricli/core";
import { describeProblem } from "./argument_problem.ts";
import { goalConflict, goalFlags } from "./goal_flags.ts";
import {
  type Invocation,
  OUTPUT_FORMATS,
  type RunFlags,
  SCHEMA_NAMES,
  type SessionsAction,
} from "./invocation.ts";
import { limitFlags } from "./limit_flags.ts";
import {
  parseFileName,
  parseHost,
  parseModel,
  parsePort,
  parseTimeout,
  parseTools,
  toPromptPart,
} from "./option_values.ts";
import { sessionConflict, sessionFlags } from "./session_flags.ts";

/** Where a route leaves what it understood. */
export interface ParseContext extends CommandContext {
  invocation?: Invocation;
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

/** All commands of the program. Running it starts nothing: it only understands. */
export const application = buildApplication(
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

/** A command line that cannot be understood. */
export function invalid(message: string): Invocation {
  return { kind: "invalid", message };
}
