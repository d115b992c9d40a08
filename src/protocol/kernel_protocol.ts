import {
  type Static,
  type TObject,
  type TProperties,
  Type,
} from "@sinclair/typebox";
import type { AgentMessage } from "../agent/agent_message.ts";
import {
  anyJson,
  anyObject,
  bounded,
  count,
  flag,
  message,
  number,
  oneOf,
  readableMessage,
  text,
  tool,
  toolResult,
  usage,
  userContent,
} from "./message_schemas.ts";
import type { KernelPhase } from "./kernel_bounds.ts";
import { ringProbes } from "./result_schema.ts";

// Messages of a kernel to the host, as one table: the source of their types, of
// the check that the host makes, and of the bounds that it sets. Nobody prints
// them, so that they hold bounds of the host.

/** Kind of message: its fields, when it may come, and how often in ten seconds. */
interface Row {
  fields: TProperties | readonly TProperties[];
  phases: readonly KernelPhase[];
  maxInTenSeconds?: number;
}

const CLOSED = { additionalProperties: false };
const shortText = bounded(text, { maxLength: 64 * 1024 });
const longText = bounded(text, { maxLength: 1024 * 1024 });
const noteText = bounded(text, { maxLength: 16 * 1024 });
const name = bounded(text, { maxLength: 200 });
const names = Type.Array(name, { maxItems: 256 });
const line = bounded(text, { maxLength: 4096 });

/** A message by its number, or by value. */
export const messageRef = Type.Union([
  count,
  Type.Unsafe<AgentMessage>(readableMessage),
]);
const refs = Type.Array(messageRef);

/** One ring's probes, and nothing else. */
export const closedRing = Type.Object(ringProbes.properties, CLOSED);
const texts = Type.Array(noteText, { maxItems: 1000 });

/** A plugin that was loaded, or was not and why. */
const plugin = Type.Object({
  name: shortText,
  path: shortText,
  state: oneOf("loaded", "failed"),
  reason: Type.Optional(noteText),
  file: Type.Optional(shortText),
  line: Type.Optional(Type.Integer({ minimum: 1 })),
  column: Type.Optional(Type.Integer({ minimum: 1 })),
  ms: Type.Number({ minimum: 0 }),
  tools: texts,
  commands: texts,
  flags: texts,
  events: texts,
  warnings: texts,
}, CLOSED);

/** A tool that the host has calls of run in the kernel. */
const declaredTool = Type.Object({
  ...tool.properties,
  label: shortText,
  outputSchema: Type.Optional(anyJson),
  executionMode: Type.Optional(oneOf("parallel", "sequential")),
  promptSnippet: Type.Optional(shortText),
  promptGuidelines: Type.Optional(Type.Array(shortText, { maxItems: 256 })),
  /** Absent where the kernel's own program brings it. */
  plugin: Type.Optional(name),
  /** It stands in the place of a built-in tool. */
  isOverride: flag,
  rendersCalls: flag,
  rendersResults: flag,
  /** Arguments are mended and validated in the kernel. */
  validates: flag,
}, CLOSED);

const dialog = Type.Union([
  Type.Object({
    kind: Type.Literal("confirm"),
    title: shortText,
    message: shortText,
  }),
  Type.Object({
    kind: Type.Literal("select"),
    title: shortText,
    options: Type.Array(shortText, { maxItems: 1000 }),
  }),
  Type.Object({
    kind: Type.Literal("input"),
    title: shortText,
    placeholder: Type.Optional(shortText),
  }),
  Type.Object({
    kind: Type.Literal("editor"),
    title: shortText,
    prefill: Type.Optional(shortText),
  }),
]);

const fetchRequest = Type.Object({
  url: text,
  method: text,
  headers: Type.Record(text, text),
  /** In base64. */
  body: Type.Optional(text),
  /** Milliseconds for everything. */
  timeoutMs: Type.Optional(number),
}, CLOSED);

const said = Type.Union([
  bounded(text, { maxLength: 256 * 1024 }),
  userContent,
]);

/** A message that a plugin adds to the session. */
export const pluginMessage = Type.Object({
  customType: name,
  content: said,
  display: flag,
  details: Type.Optional(anyJson),
}, CLOSED);

/** Kinds of questions that the host asks a kernel, with the value of the answer. */
const ANSWERS = {
  /** The user's words, as handlers left them. */
  input: Type.Object({
    handled: flag,
    text: Type.Optional(text),
    images: Type.Optional(userContent),
  }, CLOSED),
  before_agent_start: Type.Object({
    messages: Type.Array(pluginMessage, { maxItems: 1000 }),
    systemPrompt: Type.Optional(bounded(text, { maxLength: 256 * 1024 })),
  }, CLOSED),
  /** Handlers heard of an event that they do not change. */
  notice: Type.Object({}, CLOSED),
  message_end: Type.Object({ message: Type.Optional(message) }, CLOSED),
  tool_call: Type.Object({
    block: flag,
    reason: Type.Optional(noteText),
    terminate: Type.Optional(flag),
    args: Type.Optional(anyObject),
    changedBy: Type.Optional(shortText),
  }, CLOSED),
  tool_result: Type.Object({
    content: Type.Optional(userContent),
    details: Type.Optional(anyJson),
    structuredContent: Type.Optional(anyJson),
    usage: Type.Optional(usage),
    isError: Type.Optional(flag),
  }, CLOSED),
  context: Type.Object({ messages: Type.Optional(refs) }, CLOSED),
  headers: Type.Object({ headers: Type.Record(text, text) }, CLOSED),
  body: Type.Object({ body: Type.Optional(anyObject) }, CLOSED),
  session_before_compact: Type.Object({
    cancel: flag,
    summary: Type.Optional(bounded(text, { maxLength: 1024 * 1024 })),
  }, CLOSED),
  user_bash: Type.Object({
    output: Type.Optional(bounded(text, { maxLength: 1024 * 1024 })),
    isError: Type.Optional(flag),
  }, CLOSED),
  validate: Type.Object({ args: anyObject }, CLOSED),
  render: Type.Object({
    lines: Type.Optional(Type.Array(line, { maxItems: 500 })),
  }, CLOSED),
  /** True where there is such a command. */
  command: Type.Object({ isKnown: flag }, CLOSED),
  reload: Type.Object({
    loaded: Type.Array(shortText),
    failed: Type.Array(shortText),
  }, CLOSED),
  image: Type.Object({ content: userContent }, CLOSED),
  probe: Type.Object({
    report: Type.Object({
      operations: closedRing,
      deno: closedRing,
      system: closedRing,
    }, CLOSED),
  }, CLOSED),
};

/** A question of the host to a kernel. */
export type AskKind = keyof typeof ANSWERS;

/** The answer to a kind of question. */
export type Answer<Kind extends AskKind> = {
  [Name in AskKind]: Static<(typeof ANSWERS)[Name]>;
}[Kind];

const answers = Object.entries(ANSWERS).map(([kind, value]) => ({
  askId: count,
  kind: Type.Literal(kind as AskKind),
  value,
}));

const FROM_LOADING: readonly KernelPhase[] = ["loading", "serving"];
const ALWAYS: readonly KernelPhase[] = [
  "starting",
  "loading",
  "serving",
  "closing",
];

/** Kernel to host. */
export const KERNEL_MESSAGES = {
  /** It is there, before any code of a plugin. */
  hello: { fields: { version: Type.Literal(1) }, phases: ["starting"] },
  /** All that plugins bring, as it is now: the whole list each time. */
  declare: {
    fields: {
      plugins: Type.Array(plugin, { maxItems: 1000 }),
      tools: Type.Array(declaredTool, { maxItems: 1024 }),
      commands: Type.Array(
        Type.Object({
          name,
          description: Type.Optional(bounded(text, { maxLength: 1024 })),
        }, CLOSED),
        { maxItems: 1024 },
      ),
      flags: Type.Array(
        Type.Object({ name, type: oneOf("boolean", "string") }, CLOSED),
        { maxItems: 1024 },
      ),
      /** Events that anybody listens to. */
      listens: names,
    },
    phases: FROM_LOADING,
    maxInTenSeconds: 200,
  },
  /** Plugins are loaded and have heard `session_start`. */
  ready: { fields: {}, phases: ["loading"] },
  /** Progress of a call. */
  update: {
    fields: { callId: count, result: toolResult },
    phases: ["serving"],
  },
  /** The end of a call. */
  result: {
    fields: [
      { callId: count, result: toolResult },
      {
        callId: count,
        error: Type.Object({
          kind: oneOf("tool", "aborted", "fatal"),
          message: bounded(text, { maxLength: 1024 * 1024 }),
        }, CLOSED),
      },
    ],
    phases: ["serving", "closing"],
  },
  /** The answer to a question of the host. */
  answer: {
    fields: [
      ...answers,
      { askId: count, kind: Type.Literal("failed"), error: longText },
    ],
    phases: ["loading", "serving", "closing"],
  },
  request: {
    fields: [
      { requestId: count, kind: Type.Literal("dialog"), dialog },
      /** The reply has `status`, `headers`, and `body` in base64. */
      { requestId: count, kind: Type.Literal("fetch"), request: fetchRequest },
      /** A call of a tool for another call. */
      {
        requestId: count,
        kind: Type.Literal("call"),
        parent: name,
        tool: name,
        args: anyObject,
        hasUpdates: flag,
      },
      /** To end every process of one shell call. */
      { requestId: count, kind: Type.Literal("kill"), marker: name },
    ],
    phases: FROM_LOADING,
  },
  /** Nobody waits for the reply any more. */
  retract: { fields: { requestId: count }, phases: FROM_LOADING },
  /** An act of a plugin on the session; there is no reply. */
  tell: {
    fields: [
      { kind: Type.Literal("activate"), names },
      {
        kind: Type.Literal("say"),
        deliverAs: Type.Optional(oneOf("steer", "followUp")),
        message: pluginMessage,
      },
      {
        kind: Type.Literal("say_as_user"),
        deliverAs: Type.Optional(oneOf("steer", "followUp")),
        content: said,
      },
      {
        kind: Type.Literal("keep"),
        customType: name,
        data: Type.Optional(anyJson),
      },
      {
        kind: Type.Literal("notice"),
        plugin: shortText,
        level: oneOf("info", "warning", "error"),
        message: shortText,
      },
      {
        kind: Type.Literal("fault"),
        plugin: shortText,
        path: shortText,
        during: shortText,
        message: shortText,
        stack: Type.Optional(shortText),
      },
      { kind: Type.Literal("abort") },
      { kind: Type.Literal("shutdown") },
      {
        kind: Type.Literal("compact"),
        instructions: Type.Optional(noteText),
      },
    ],
    phases: ["loading", "serving", "closing"],
    maxInTenSeconds: 2000,
  },
  /** The file tools were refused paths, so often since the last such message. */
  refused: {
    fields: {
      access: oneOf("read", "write", "protected"),
      count: Type.Integer({ minimum: 0, maximum: 100_000 }),
    },
    phases: ["loading", "serving", "closing"],
  },
  pong: { fields: { n: count }, phases: ALWAYS },
  /** Handlers have heard the steps of a growing message up to this batch. */
  heard: { fields: { n: count }, phases: ["serving", "closing"] },
} as const satisfies Record<string, Row>;

/** The name of a kind of message. */
export type KernelMessageType = keyof typeof KERNEL_MESSAGES;

type Fields<Given> = Given extends readonly (infer One)[]
  ? One extends TProperties ? Static<TObject<One>> : never
  : Given extends TProperties ? Static<TObject<Given>>
  : never;

/** Message of a kernel to the host, which trusts none of it before it is checked. */
export type KernelMessage = {
  [Type in KernelMessageType]:
    & { type: Type }
    & Fields<(typeof KERNEL_MESSAGES)[Type]["fields"]>;
}[KernelMessageType];

/** A message of one kind. */
export type KernelMessageOf<Type extends KernelMessageType> = Extract<
  KernelMessage,
  { type: Type }
>;

/** All that a kernel brings. */
export type Declaration = Omit<KernelMessageOf<"declare">, "type">;

/** A tool that a kernel brings. */
export type DeclaredTool = Static<typeof declaredTool>;

/** A message by its number, or by value. */
export type MessageRef = Static<typeof messageRef>;

/** Request of a plugin to a server. */
export type FetchRequest = Static<typeof fetchRequest>;

/** Question to the user. */
export type Dialog = Static<typeof dialog>;
