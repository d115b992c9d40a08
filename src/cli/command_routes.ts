import { buildCommand, type Command } from "@stricli/core";
import {
  type CommandName,
  type RunFlags,
  SCHEMA_NAMES,
  type SessionsAction,
  SHELL_NAMES,
} from "./invocation.ts";
import { parseHost, parsePort, parseTimeout } from "./option_values.ts";
import {
  PLUGINS_ACTIONS,
  PLUGINS_USAGE,
  pluginsAction,
  type PluginsFlags,
} from "./plugins/plugins_action.ts";
import {
  anyCommandAliases,
  type AnyCommandFlags,
  anyCommandFlags,
  invalid,
  type ParseContext,
} from "./route_parts.ts";
import { rpcRoute } from "./rpc_route.ts";
import { sharedRunFlags } from "./run_route.ts";

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
        proposeCompletions: () => SCHEMA_NAMES,
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
      parameter: {
        parse: String,
        proposeCompletions: () => ["list", "show", "export", "rm"],
        brief: "what to do",
        placeholder: "word",
      },
    },
  },
  docs: { brief: "list, show, export and remove sessions" },
});

const pluginsRoute = buildCommand<
  PluginsFlags & AnyCommandFlags,
  string[],
  ParseContext
>({
  func({ help, version, ...flags }, ...words) {
    if (help || version) {
      this.invocation = { kind: help ? "help" : "version" };
      return;
    }
    const action = pluginsAction(words, flags);
    this.invocation = action
      ? { kind: "plugins", action }
      : invalid(PLUGINS_USAGE);
  },
  parameters: {
    flags: {
      json: {
        kind: "boolean",
        default: false,
        withNegated: false,
        brief: "answer in JSON",
      },
      project: {
        kind: "boolean",
        default: false,
        withNegated: false,
        brief: "write it into .tau of the current folder",
      },
      dir: {
        kind: "boolean",
        default: false,
        withNegated: false,
        brief: "write a folder with a mod.ts",
      },
      timeout: {
        kind: "parsed",
        parse: parseTimeout,
        optional: true,
        brief: "what each import and function may take",
      },
      ...anyCommandFlags,
    },
    aliases: anyCommandAliases,
    positional: {
      kind: "array",
      parameter: {
        parse: String,
        proposeCompletions: () => PLUGINS_ACTIONS,
        brief: "what to do",
        placeholder: "word",
      },
    },
  },
  docs: { brief: "list, check and begin plugins" },
});

const modelsRoute = buildCommand<
  { json: boolean } & AnyCommandFlags,
  string[],
  ParseContext
>({
  func({ help, version, json }, ...words) {
    this.invocation = help || version
      ? { kind: help ? "help" : "version" }
      : { kind: "models", json, words };
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
      parameter: {
        parse: String,
        brief: "what the names have",
        placeholder: "word",
      },
    },
  },
  docs: { brief: "list the models" },
});

const jsonFlag = {
  json: {
    kind: "boolean",
    default: false,
    withNegated: false,
    brief: "print JSON",
  },
} as const;

const permissionsRoute = buildCommand<
  Omit<RunFlags, "print" | "output-format" | "output-last-message"> & {
    json: boolean;
  } & AnyCommandFlags,
  [],
  ParseContext
>({
  func({ help, version, json, ...given }) {
    this.invocation = help || version
      ? { kind: help ? "help" : "version" }
      : { kind: "permissions", flags: { print: true, ...given }, json };
  },
  parameters: {
    flags: { ...sharedRunFlags, ...jsonFlag, ...anyCommandFlags },
    aliases: { t: "tools", C: "cd", ...anyCommandAliases },
  },
  docs: { brief: "show what a run may touch" },
});

const doctorRoute = buildCommand<
  { json: boolean } & AnyCommandFlags,
  [],
  ParseContext
>({
  func({ help, version, json }) {
    this.invocation = help || version
      ? { kind: help ? "help" : "version" }
      : { kind: "doctor", json };
  },
  parameters: {
    flags: { ...jsonFlag, ...anyCommandFlags },
    aliases: anyCommandAliases,
  },
  docs: { brief: "show what runs find on this machine" },
});

const licensesRoute = buildCommand<AnyCommandFlags, [], ParseContext>({
  func({ help, version }) {
    this.invocation = {
      kind: help ? "help" : version ? "version" : "licenses",
    };
  },
  parameters: { flags: anyCommandFlags, aliases: anyCommandAliases },
  docs: { brief: "print the licences of tau and its parts" },
});

const completionsRoute = buildCommand<AnyCommandFlags, [string?], ParseContext>(
  {
    func({ help, version }, word) {
      const shell = SHELL_NAMES.find((known) => known === word);
      this.invocation = help || version
        ? { kind: help ? "help" : "version" }
        : shell
        ? { kind: "completions", shell }
        : invalid(
          `Expected a shell, such as tau completions ${
            SHELL_NAMES.join(", or ")
          }; a prompt that begins with this word goes behind --`,
        );
    },
    parameters: {
      flags: anyCommandFlags,
      aliases: anyCommandAliases,
      positional: {
        kind: "tuple",
        parameters: [{
          parse: String,
          optional: true,
          proposeCompletions: () => SHELL_NAMES,
          brief: "the shell",
          placeholder: "shell",
        }],
      },
    },
    docs: { brief: "print what a shell completes" },
  },
);

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

/** All commands that have a name. */
export const COMMAND_ROUTES: Record<CommandName, Command<ParseContext>> = {
  demo: demoRoute,
  rpc: rpcRoute,
  proxy: proxyRoute,
  trust: trustRoute,
  schema: schemaRoute,
  sessions: sessionsRoute,
  plugins: pluginsRoute,
  models: modelsRoute,
  permissions: permissionsRoute,
  doctor: doctorRoute,
  completions: completionsRoute,
  licenses: licensesRoute,
};
