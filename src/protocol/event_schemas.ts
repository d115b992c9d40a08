import {
  type Static,
  type TLiteral,
  type TObject,
  type TProperties,
  Type,
} from "@sinclair/typebox";
import {
  anyJson,
  anyObject,
  bounded,
  count,
  flag,
  message,
  number,
  oneOf,
  text,
  toolCall,
  toolResult,
} from "./message_schemas.ts";

// Events of a run: the source of their types, of the check of what a kernel
// says, and of the documents that `tau schema` prints. Parts that occur more
// than once have an $id, and are printed once.

/** A schema of what has this type, and some fields. */
function kind<Name extends string, Fields extends TProperties>(
  type: Name,
  fields: Fields,
): TObject<{ type: TLiteral<Name> } & Fields> {
  return Type.Object({ type: Type.Literal(type), ...fields });
}

const contentIndex = Type.Integer({
  minimum: 0,
  description: "Counts the blocks of the message",
});

const delta = { contentIndex, delta: text };

/**
 * One step of an assistant message in an event: without the message so far. The
 * last two kinds of a stream (`done`, `error`) are not among them, since
 * `message_end` carries the whole message.
 */
const step = Type.Union([
  kind("text_start", { contentIndex }),
  kind("text_delta", { ...delta }),
  kind("text_end", { contentIndex, contentSignature: Type.Optional(text) }),
  kind("thinking_start", { contentIndex, redacted: Type.Optional(flag) }),
  kind("thinking_delta", { ...delta }),
  kind("thinking_end", { contentIndex, contentSignature: Type.Optional(text) }),
  kind("toolcall_start", { contentIndex, id: text, toolName: text }),
  kind("toolcall_delta", { ...delta }),
  kind("toolcall_end", { contentIndex, toolCall }),
]);

const call = { toolCallId: text, toolName: text };
/** Lines that the tool's own renderer made, when the host asked for them. */
const rendered = Type.Optional(Type.Array(text));

const compactionReason = oneOf("threshold", "overflow", "manual");

/** Why a call was not made: a rule denies it, the user said no, or nobody could be asked. */
export const denial = {
  reason: oneOf("denied", "not_approved", "no_approver"),
  /** As it was written; absent where no rule was about the call. */
  rule: Type.Optional(text),
  source: Type.Optional(Type.String({
    description: "The settings file, or the command line",
  })),
};

/** A file that starts programs or changes permissions is not as it was when the run began. */
export const controlFileChange = {
  path: text,
  change: oneOf("created", "changed", "removed"),
  /** A patch that may be cut short; absent where the file is not text. */
  diff: Type.Optional(text),
};

const boundedText = bounded(text, { maxLength: 64 * 1024 });
const boundedTexts = Type.Array(boundedText);
const place = Type.Integer({ minimum: 1 });

/** The schemas of what is told of plugins. */
export const pluginEventSchemas = [
  kind("plugin_loaded", {
    name: boundedText,
    path: boundedText,
    ms: Type.Number({ minimum: 0 }),
    tools: boundedTexts,
    commands: boundedTexts,
    flags: boundedTexts,
    events: boundedTexts,
    warnings: boundedTexts,
  }),
  kind("plugin_error", {
    name: boundedText,
    path: boundedText,
    during: Type.Optional(boundedText),
    message: boundedText,
    file: Type.Optional(boundedText),
    line: Type.Optional(place),
    column: Type.Optional(place),
    stack: Type.Optional(boundedText),
  }),
  kind("plugin_notice", {
    name: boundedText,
    level: oneOf("info", "warning", "error"),
    message: boundedText,
  }),
  kind("custom_entry", {
    customType: boundedText,
    data: Type.Optional(anyJson),
  }),
] as const;

/** Events of a run: agent events that never repeat what earlier ones said, and what the session does around them. */
export const runEventSchema = Type.Union([
  kind("agent_start", {}),
  kind("turn_start", {}),
  kind("message_start", { message }),
  kind("message_update", { assistantMessageEvent: step }),
  kind("message_end", { message }),
  kind("tool_execution_start", { ...call, args: anyObject, rendered }),
  kind("tool_execution_update", {
    ...call,
    args: anyObject,
    partialResult: toolResult,
  }),
  kind("tool_execution_end", {
    ...call,
    result: toolResult,
    isError: flag,
    durationMs: Type.Optional(number),
    rendered,
  }),
  kind("turn_end", {}),
  kind("check_start", { command: text }),
  kind("check_end", { command: text, passed: flag, output: text }),
  kind("tool_denied", { ...call, ...denial }),
  kind("control_file_changed", { ...controlFileChange }),
  ...pluginEventSchemas,
  kind("shell_update", {
    /** Name that the caller gave the command. */
    id: Type.Optional(text),
    delta: text,
  }),
  kind("queue_update", {
    steering: Type.Array(text),
    followUp: Type.Array(text),
  }),
  kind("compaction_start", { reason: compactionReason, tokens: count }),
  kind("compaction_end", {
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
  kind("auto_retry_start", {
    attempt: count,
    maxAttempts: count,
    delayMs: count,
    errorMessage: text,
  }),
  kind("auto_retry_end", {
    success: flag,
    attempt: count,
    finalError: Type.Optional(text),
  }),
  kind("agent_end", { aborted: Type.Optional(flag) }),
], { $id: "Event", title: "An event of a tau run" });

/** One event of a run. */
export type RunEvent = Static<typeof runEventSchema>;

/** Step of an assistant message, without the message so far. */
export type MessageStep = Static<typeof step>;

/** A control file is not as it was when the run began. */
export type ControlFileEvent = Extract<
  RunEvent,
  { type: "control_file_changed" }
>;

/** Output of a command of the user since the last such event. */
export type ShellUpdateEvent = Extract<RunEvent, { type: "shell_update" }>;
