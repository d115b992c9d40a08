import {
  type Static,
  type TLiteral,
  type TObject,
  type TProperties,
  Type,
} from "@sinclair/typebox";
import type { Message } from "../model/message.ts";
import { type RunEvent, runEventSchema } from "./event_schemas.ts";
import {
  anyObject,
  bounded,
  count,
  errorKind,
  number,
  oneOf,
  readableMessage,
  text,
  tool,
} from "./message_schemas.ts";
import { ringProbes } from "./result_schema.ts";

// Messages of a kernel to the host: the source of their types and of the check
// that the host makes. Nobody prints them, so that they hold bounds of the host.

const CLOSED = { additionalProperties: false };
const shortText = bounded(text, { maxLength: 64 * 1024 });

/** A message by the number of the event that stored it, or by value. */
const messageRef = Type.Union([
  count,
  Type.Unsafe<Message>(readableMessage),
]);

const modelRequest = Type.Object({
  requestId: count,
  messages: Type.Array(messageRef),
  /** Prompt and tools, only when they differ from the request before. */
  declarations: Type.Optional(Type.Object({
    systemPrompt: Type.Optional(text),
    tools: Type.Optional(Type.Array(tool)),
  })),
  /** All that a request may set: a key, headers or an address are the host's. */
  options: Type.Object({
    temperature: Type.Optional(number),
    maxTokens: Type.Optional(Type.Integer({ minimum: 1 })),
    reasoning: Type.Optional(
      oneOf("minimal", "low", "medium", "high", "xhigh", "max"),
    ),
    toolChoice: Type.Optional(oneOf("auto", "none")),
  }, CLOSED),
  /** Steps of it that plugins want to look at; a `provider_hook` each. */
  hooks: Type.Optional(
    Type.Array(oneOf("headers", "request", "response"), { maxItems: 3 }),
  ),
});

const fetchRequest = Type.Object({
  url: text,
  method: text,
  headers: Type.Record(text, text),
  /** In base64. */
  body: Type.Optional(text),
  /** Milliseconds for everything. */
  timeoutMs: Type.Optional(number),
});

const title = { title: shortText };

/** A question to the user. */
const dialog = Type.Union([
  Type.Object({ kind: Type.Literal("confirm"), ...title, message: shortText }),
  Type.Object({
    kind: Type.Literal("select"),
    ...title,
    options: Type.Array(shortText, { maxItems: 1000 }),
  }),
  Type.Object({
    kind: Type.Literal("input"),
    ...title,
    placeholder: Type.Optional(shortText),
  }),
  Type.Object({
    kind: Type.Literal("editor"),
    ...title,
    prefill: Type.Optional(shortText),
  }),
]);

/** Outcome of a run, as the session saw it. */
const outcome = Type.Union([
  Type.Object({ kind: oneOf("completed", "aborted") }),
  Type.Object({
    kind: Type.Literal("limit"),
    limit: oneOf(
      "turn_limit",
      "tool_call_limit",
      "repeat_limit",
      "budget_limit",
      "output_limit",
    ),
  }),
  Type.Object({
    kind: Type.Literal("model_error"),
    errorKind,
    message: text,
  }),
  Type.Object({
    kind: Type.Literal("goal_missed"),
    goal: oneOf("check", "schema"),
    message: text,
  }),
  Type.Object({ kind: oneOf("usage_error", "failed"), message: text }),
]);

/** Nothing but what it says it is, since it goes into the record. */
const closedRing = Type.Object(ringProbes.properties, CLOSED);

/** A message of a kernel. It has nothing but what it needs. */
function told<const Name extends string, Fields extends TProperties>(
  type: Name,
  fields: Fields,
): TObject<Fields & { type: TLiteral<Name> }> {
  return Type.Object({ type: Type.Literal(type), ...fields }, CLOSED);
}

/** Events that a kernel may tell; changes of control files are for the host alone to say. */
const events = runEventSchema.anyOf.filter(({ properties }) =>
  properties.type.const !== "control_file_changed"
);
const [ends = [], others = []] = [true, false].map((isEnd) =>
  events.filter(({ properties }) =>
    (properties.type.const === "message_end") === isEnd
  )
);
/** An event; one that ends a message comes with the number of the stored message, counted from 0. */
const toldEvent = Type.Unsafe<
  { type: "event"; event: RunEvent; stored?: number }
>(Type.Union([
  told("event", { event: Type.Union(ends), stored: count }),
  told("event", { event: Type.Union(others) }),
]));

/** Kernel to host. */
export const kernelMessageSchema = Type.Union([
  told("pong", { n: count }),
  told("probed", {
    report: Type.Object({
      operations: closedRing,
      deno: closedRing,
      system: closedRing,
    }, CLOSED),
  }),
  toldEvent,
  told("model_request", { request: modelRequest }),
  told("model_cancel", { requestId: count }),
  told("ask", {
    askId: count,
    service: Type.Literal("kill_call"),
    marker: text,
  }),
  /** The reply has a `result`. Without an id it is about the check that has started. */
  told("ask", {
    askId: count,
    service: Type.Literal("recorded_result"),
    callId: Type.Optional(text),
  }),
  /** The reply has `status`, `headers`, and `body` in base64. */
  told("ask", {
    askId: count,
    service: Type.Literal("fetch"),
    request: fetchRequest,
  }),
  /** Changes of plugins to a step of a request; absent where it stays as it is. */
  told("provider_hook_end", { hookId: count, value: Type.Optional(anyObject) }),
  told("dialog", { dialogId: count, dialog }),
  /** Nobody waits for the answer any more. */
  told("dialog_cancel", { dialogId: count }),
  told("command_end", {
    commandId: count,
    value: Type.Optional(anyObject),
    error: Type.Optional(text),
  }),
  /** The file tools were refused paths, so often since the last such message. */
  told("refused", { access: oneOf("read", "write", "protected"), count }),
  /** A run is over. */
  told("end", { outcome }),
]);

/** Message of a kernel to the host, which trusts none of it before it is checked. */
export type KernelMessage = Static<typeof kernelMessageSchema>;

/** Request of a kernel to the run's own model; it cannot name another. */
export type ModelRequest = Static<typeof modelRequest>;

/** Message of a request: by the number of the event that stored it, or by value. */
export type MessageRef = Static<typeof messageRef>;

/** Request of a plugin to a server. */
export type FetchRequest = Static<typeof fetchRequest>;

/** Question to the user. */
export type Dialog = Static<typeof dialog>;
