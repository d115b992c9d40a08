import { buildCommand } from "@stricli/core";
import { goalConflict, goalFlags } from "./goal_flags.ts";
import { OUTPUT_FORMATS, type RunFlags } from "./invocation.ts";
import { limitFlags } from "./limit_flags.ts";
import {
  parseFileName,
  parseModel,
  parseTimeout,
  parseTools,
  toPromptPart,
} from "./option_values.ts";
import { permissionFlags } from "./permission_flags.ts";
import { pluginFlags } from "./plugin_flags.ts";
import { recordingConflict, recordingFlags } from "./recording_flags.ts";
import {
  anyCommandAliases,
  type AnyCommandFlags,
  anyCommandFlags,
  type ParseContext,
} from "./route_parts.ts";
import { ruleFlags } from "./rule_flags.ts";
import { sessionConflict, sessionFlags } from "./session_flags.ts";

/** Options of a session, however it is shown. */
export const sharedRunFlags = {
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
  "exclude-tools": {
    kind: "parsed",
    parse: parseTools,
    optional: true,
    brief: "tools that are not active",
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
  ...recordingFlags,
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
  ...pluginFlags,
  ...ruleFlags,
  ...permissionFlags,
  ...sessionFlags,
} as const;

/** `tau [options] [prompt…]`. */
export const runRoute = buildCommand<
  RunFlags & AnyCommandFlags,
  string[],
  ParseContext
>({
  func({ help, version, ...flags }, ...words) {
    if (help || version) {
      this.invocation = { kind: help ? "help" : "version" };
      return;
    }
    const conflict = sessionConflict(flags) ?? goalConflict(flags) ??
      recordingConflict(flags);
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
      ...sharedRunFlags,
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
