import { Type } from "@sinclair/typebox";
import type { JsonValue } from "../model/content.ts";
import {
  anyObject,
  count,
  flag,
  message,
  number,
  oneOf,
  text,
  toolCall,
  toolResult,
  usage,
} from "./message_schemas.ts";
import { pluginEventSchemas } from "./plugin_event_schemas.ts";
import { PROFILES } from "../policy/permission_policy.ts";
import { EXIT_CODES, type RunStatus } from "./run_result.ts";

// The schemas say what the types of the events and of the result record say;
// `tests/protocol/schemas_test.ts` holds them together. Parts that occur more
// than once have an $id, and are printed once.

const contentIndex = Type.Integer({
  minimum: 0,
  description: "Counts the blocks of the message",
});

const delta = { contentIndex, delta: text };

/** A step of an assistant message. */
const step = Type.Union([
  Type.Object({ type: Type.Literal("text_start"), contentIndex }),
  Type.Object({ type: Type.Literal("text_delta"), ...delta }),
  Type.Object({
    type: Type.Literal("text_end"),
    contentIndex,
    contentSignature: Type.Optional(text),
  }),
  Type.Object({
    type: Type.Literal("thinking_start"),
    contentIndex,
    redacted: Type.Optional(flag),
  }),
  Type.Object({ type: Type.Literal("thinking_delta"), ...delta }),
  Type.Object({
    type: Type.Literal("thinking_end"),
    contentIndex,
    contentSignature: Type.Optional(text),
  }),
  Type.Object({
    type: Type.Literal("toolcall_start"),
    contentIndex,
    id: text,
    toolName: text,
  }),
  Type.Object({ type: Type.Literal("toolcall_delta"), ...delta }),
  Type.Object({ type: Type.Literal("toolcall_end"), contentIndex, toolCall }),
]);

const call = { toolCallId: text, toolName: text };
const rendered = Type.Optional(Type.Array(text));

const compactionReason = oneOf("threshold", "overflow", "manual");

const denial = {
  reason: oneOf("denied", "not_approved", "no_approver"),
  rule: Type.Optional(text),
  source: Type.Optional(Type.String({
    description: "The settings file, or the command line",
  })),
};

const controlFileChange = {
  path: text,
  change: oneOf("created", "changed", "removed"),
  diff: Type.Optional(text),
};

/** An event of a run. */
export const runEventSchema = Type.Union([
  Type.Object({ type: Type.Literal("agent_start") }),
  Type.Object({ type: Type.Literal("turn_start") }),
  Type.Object({ type: Type.Literal("message_start"), message }),
  Type.Object({
    type: Type.Literal("message_update"),
    assistantMessageEvent: step,
  }),
  Type.Object({ type: Type.Literal("message_end"), message }),
  Type.Object({
    type: Type.Literal("tool_execution_start"),
    ...call,
    args: anyObject,
    rendered,
  }),
  Type.Object({
    type: Type.Literal("tool_execution_update"),
    ...call,
    args: anyObject,
    partialResult: toolResult,
  }),
  Type.Object({
    type: Type.Literal("tool_execution_end"),
    ...call,
    result: toolResult,
    isError: flag,
    durationMs: Type.Optional(number),
    rendered,
  }),
  Type.Object({ type: Type.Literal("turn_end") }),
  Type.Object({ type: Type.Literal("check_start"), command: text }),
  Type.Object({
    type: Type.Literal("check_end"),
    command: text,
    passed: flag,
    output: text,
  }),
  Type.Object({
    type: Type.Literal("tool_denied"),
    ...call,
    ...denial,
  }),
  Type.Object({
    type: Type.Literal("control_file_changed"),
    ...controlFileChange,
  }),
  ...pluginEventSchemas,
  Type.Object({
    type: Type.Literal("shell_update"),
    id: Type.Optional(text),
    delta: text,
  }),
  Type.Object({
    type: Type.Literal("queue_update"),
    steering: Type.Array(text),
    followUp: Type.Array(text),
  }),
  Type.Object({
    type: Type.Literal("compaction_start"),
    reason: compactionReason,
    tokens: count,
  }),
  Type.Object({
    type: Type.Literal("compaction_end"),
    reason: compactionReason,
    result: Type.Optional(Type.Object({
      summary: text,
      firstKept: Type.Integer({
        minimum: 0,
        description: "Number of the message, in the order of message_end",
      }),
      tokensBefore: count,
    })),
    aborted: flag,
    errorMessage: Type.Optional(text),
  }),
  Type.Object({
    type: Type.Literal("auto_retry_start"),
    attempt: count,
    maxAttempts: count,
    delayMs: count,
    errorMessage: text,
  }),
  Type.Object({
    type: Type.Literal("auto_retry_end"),
    success: flag,
    attempt: count,
    finalError: Type.Optional(text),
  }),
  Type.Object({
    type: Type.Literal("agent_end"),
    aborted: Type.Optional(flag),
  }),
], { $id: "Event", title: "An event of a tau run" });

const rpcResponseSchema = Type.Object({
  id: Type.Optional(Type.Union([text, number])),
  type: Type.Literal("response"),
  command: text,
  success: flag,
  data: Type.Optional(Type.Unsafe<JsonValue>({})),
  error: Type.Optional(text),
}, { $id: "Response", title: "The answer to a command of tau rpc" });

const rpcDialogSchema = Type.Object({
  type: Type.Literal("extension_ui_request"),
  id: text,
  method: oneOf("confirm", "select", "input", "editor"),
  title: text,
  message: Type.Optional(text),
  options: Type.Optional(Type.Array(text)),
  placeholder: Type.Optional(text),
  prefill: Type.Optional(text),
}, { $id: "Question", title: "A question to the user of tau rpc" });

/** The first line of a stream of events. */
export const sessionHeaderSchema = Type.Object({
  type: Type.Literal("session"),
  version: Type.Literal(3),
  id: text,
  timestamp: Type.String({ description: "ISO 8601" }),
  cwd: text,
  parentSession: Type.Optional(text),
}, { $id: "Header", title: "The first line of a tau run's stream of events" });

const probeOutcome = oneOf("held", "open", "not tried");

const ringProbes = Type.Object({
  read: probeOutcome,
  write: probeOutcome,
  connect: probeOutcome,
});

const statuses = Object.keys(EXIT_CODES) as RunStatus[];

/** The terminal record of a run. */
export const runResultSchema = Type.Object({
  type: Type.Literal("result"),
  version: Type.Literal(1),
  status: oneOf(...statuses),
  exitCode: Type.Integer({ minimum: 0, maximum: 255 }),
  text: Type.String({
    description: "The answer; what there was of it when the run failed",
  }),
  structured: Type.Optional(Type.Unsafe<JsonValue>({
    description:
      "The value that the answer holds, of a completed run with --output-schema",
  })),
  error: Type.Optional(Type.Object({
    kind: text,
    message: text,
  }, { description: "Of a run that did not complete" })),
  sessionId: text,
  session: Type.Object({ file: Type.Optional(text), stored: flag }, {
    description: "Where the session is, and whether all of this run is there",
  }),
  cwd: text,
  model: Type.String({
    description: "provider/id; empty when no model was chosen",
  }),
  turns: count,
  toolCalls: count,
  failedToolCalls: count,
  usage,
  durationMs: count,
  sandbox: Type.Object({
    requested: oneOf("auto", "require", "off"),
    state: oneOf("confined", "unconfined"),
    reason: Type.Optional(text),
    probes: Type.Optional(Type.Object({
      operations: ringProbes,
      deno: ringProbes,
      system: ringProbes,
      reportedBy: oneOf("kernel"),
    }, { description: "What the kernel was refused when it tried" })),
  }, { description: "What confined the commands that tools start" }),
  capabilities: Type.Object({
    granted: Type.Object({
      profile: oneOf(...PROFILES),
      read: Type.Array(text),
      write: Type.Array(text),
      commandsWrite: Type.Array(text),
      net: Type.Union([oneOf("none", "all"), Type.Array(text)]),
      environment: Type.Array(text),
    }),
    denied: Type.Array(
      Type.Object({
        toolName: text,
        ...denial,
        count,
      }),
      { description: "Calls that rules kept from being made" },
    ),
    attempted: Type.Object({ read: count, write: count, protected: count }, {
      description: "Paths that the file tools were refused",
    }),
    reportedBy: oneOf("kernel"),
  }),
  controlFiles: Type.Optional(Type.Object({
    changed: Type.Array(Type.Object(controlFileChange)),
    isPartial: Type.Optional(Type.Literal(true, {
      description: "There were too many folders to look at all of them",
    })),
  }, {
    description:
      "Files that start programs or change permissions, and are not as they were",
  })),
}, { $id: "Result", title: "The result record of a tau run" });

/** A line of stdout with `--output-format json` or `stream-json`. */
export const outputLineSchema = Type.Union([
  sessionHeaderSchema,
  runEventSchema,
  runResultSchema,
], { $id: "Line", title: "A line of tau's stdout in JSON" });

/** A line of stdout of `tau rpc`. */
export const rpcLineSchema = Type.Union([
  rpcResponseSchema,
  rpcDialogSchema,
  runEventSchema,
  runResultSchema,
], { $id: "RpcLine", title: "A line of the stdout of tau rpc" });
