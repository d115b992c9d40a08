// Written by `deno task checks` from the schemas. A test compares them.

import type { KernelMessage, KernelMessageType } from "./kernel_protocol.ts";
import type { KernelPhase } from "./kernel_bounds.ts";
import type { Message } from "../model/message.ts";
import {
  answer,
  anyOf,
  by,
  fields,
  integer,
  is,
  isCount,
  isFlag,
  isNumber,
  isObject,
  isPresent,
  isText,
  list,
  maybe,
  number,
  only,
  record,
  text,
} from "./check_parts.ts";

const fitsConstrainedSampling = anyOf(
  is(false),
  fields({ type: is("json_schema"), strict: is("prefer", "require") }),
  fields({
    type: is("grammar"),
    variants: fields({
      openai_lark: maybe(isText),
      openai_regex: maybe(isText),
    }),
  }),
);

const fitsTextContent = fields({
  type: is("text"),
  text: isText,
  textSignature: maybe(isText),
});

const fitsImageContent = fields({
  type: is("image"),
  data: isText,
  mimeType: isText,
});

const fitsUserContent = list(anyOf(fitsTextContent, fitsImageContent));

const fitsUsage = fields({
  input: isCount,
  output: isCount,
  cacheRead: isCount,
  cacheWrite: isCount,
  reasoning: maybe(isCount),
  totalTokens: isCount,
  cost: fields({
    input: isNumber,
    output: isNumber,
    cacheRead: isNumber,
    cacheWrite: isNumber,
    total: isNumber,
  }),
});

const fitsToolResult = fields({
  content: fitsUserContent,
  usage: maybe(fitsUsage),
  isError: maybe(isFlag),
  terminate: maybe(isFlag),
  addedToolNames: maybe(list(isText)),
});

const fitsPluginMessage = only({
  customType: text(200),
  content: anyOf(text(262144), fitsUserContent),
  display: isFlag,
  details: maybe(isPresent),
});

const fitsTool = fields({
  name: isText,
  description: isText,
  parameters: isPresent,
  constrainedSampling: maybe(fitsConstrainedSampling),
});

const fitsSystemMessage = fields({
  role: is("system"),
  content: anyOf(isText, list(fitsTextContent)),
  sections: maybe(record(anyOf(isText, is(null)))),
  toolsAdded: maybe(list(fitsTool)),
  toolsRemoved: maybe(list(fields({ name: isText }))),
  timestamp: isNumber,
});

const fitsUserMessage = fields({
  role: is("user"),
  origin: maybe(
    by("kind", {
      shell: fields({ command: isText }),
      custom: fields({ customType: isText, display: isFlag }),
    }),
  ),
  content: anyOf(isText, fitsUserContent),
  timestamp: isNumber,
});

const fitsThinkingContent = fields({
  type: is("thinking"),
  thinking: isText,
  thinkingSignature: maybe(isText),
  redacted: maybe(isFlag),
});

const fitsToolCall = fields({
  type: is("toolCall"),
  id: isText,
  name: isText,
  arguments: isObject,
  thoughtSignature: maybe(isText),
  argumentsError: maybe(isText),
});

const fitsAssistantMessage = fields({
  role: is("assistant"),
  content: list(anyOf(fitsTextContent, fitsThinkingContent, fitsToolCall)),
  api: is(
    "openai-completions",
    "openai-responses",
    "anthropic-messages",
    "google-generative-ai",
  ),
  provider: isText,
  model: isText,
  responseModel: maybe(isText),
  responseId: maybe(isText),
  usage: fitsUsage,
  thinkingLevel: maybe(
    is("off", "minimal", "low", "medium", "high", "xhigh", "max"),
  ),
  stopReason: is("pending", "stop", "length", "toolUse", "error", "aborted"),
  rawStopReason: maybe(isText),
  errorMessage: maybe(isText),
  errorKind: maybe(
    is(
      "auth",
      "rate_limit",
      "overloaded",
      "unreachable",
      "timeout",
      "stream_cut",
      "refused",
      "context_overflow",
      "quota",
      "content_filter",
      "replay_miss",
    ),
  ),
  retryAfterMs: maybe(isNumber),
  timestamp: isNumber,
  durationMs: maybe(isNumber),
});

const fitsToolResultMessage = fields({
  role: is("toolResult"),
  toolCallId: isText,
  toolName: isText,
  content: fitsUserContent,
  usage: maybe(fitsUsage),
  isError: isFlag,
  addedToolNames: maybe(list(isText)),
  timestamp: isNumber,
  durationMs: maybe(isNumber),
});

const fitsMessage = anyOf(
  fitsSystemMessage,
  fitsUserMessage,
  fitsAssistantMessage,
  fitsToolResultMessage,
);

const fitsReadableBlocks = list(by("type", {
  text: fields({ text: isText }),
  thinking: fields({ thinking: isText }),
  image: fields({ data: isText, mimeType: isText }),
  toolCall: fields({ id: isText, name: isText, arguments: isObject }),
}));

const fitsReadableMessage = anyOf(
  fields({
    role: is("system", "user"),
    content: anyOf(isText, fitsReadableBlocks),
  }),
  fields({
    role: is("assistant"),
    content: fitsReadableBlocks,
    stopReason: isText,
  }),
  fields({
    role: is("toolResult"),
    toolCallId: isText,
    toolName: isText,
    content: fitsReadableBlocks,
  }),
);

const fitsRing = only({
  read: is("held", "open", "not tried"),
  write: is("held", "open", "not tried"),
  connect: is("held", "open", "not tried"),
});

const fitsKernelMessage = by("type", {
  hello: only({ version: is(1) }),
  declare: only({
    plugins: list(
      only({
        name: text(65536),
        path: text(65536),
        state: is("loaded", "failed"),
        reason: maybe(text(16384)),
        file: maybe(text(65536)),
        line: maybe(integer(1)),
        column: maybe(integer(1)),
        ms: number(0),
        tools: list(text(16384), 1000),
        commands: list(text(16384), 1000),
        flags: list(text(16384), 1000),
        events: list(text(16384), 1000),
        warnings: list(text(16384), 1000),
      }),
      1000,
    ),
    tools: list(
      only({
        name: isText,
        description: isText,
        parameters: isPresent,
        constrainedSampling: maybe(fitsConstrainedSampling),
        label: text(65536),
        outputSchema: maybe(isPresent),
        executionMode: maybe(is("parallel", "sequential")),
        promptSnippet: maybe(text(65536)),
        promptGuidelines: maybe(list(text(65536), 256)),
        plugin: maybe(text(200)),
        isOverride: isFlag,
        rendersCalls: isFlag,
        rendersResults: isFlag,
        validates: isFlag,
      }),
      1024,
    ),
    commands: list(
      only({ name: text(200), description: maybe(text(1024)) }),
      1024,
    ),
    flags: list(only({ name: text(200), type: is("boolean", "string") }), 1024),
    listens: list(text(200), 256),
  }),
  ready: only({}),
  update: only({ callId: isCount, result: fitsToolResult }),
  result: anyOf(
    only({ callId: isCount, result: fitsToolResult }),
    only({
      callId: isCount,
      error: only({
        kind: is("tool", "aborted", "fatal"),
        message: text(1048576),
      }),
    }),
  ),
  answer: by("kind", {
    input: answer(
      only({
        handled: isFlag,
        text: maybe(isText),
        images: maybe(fitsUserContent),
      }),
    ),
    before_agent_start: answer(
      only({
        messages: list(fitsPluginMessage, 1000),
        systemPrompt: maybe(text(262144)),
      }),
    ),
    notice: answer(only({})),
    message_end: answer(only({ message: maybe(fitsMessage) })),
    tool_call: answer(
      only({
        block: isFlag,
        reason: maybe(text(16384)),
        terminate: maybe(isFlag),
        args: maybe(isObject),
        changedBy: maybe(text(65536)),
      }),
    ),
    tool_result: answer(
      only({
        content: maybe(fitsUserContent),
        details: maybe(isPresent),
        structuredContent: maybe(isPresent),
        usage: maybe(fitsUsage),
        isError: maybe(isFlag),
      }),
    ),
    context: answer(
      only({ messages: maybe(list(anyOf(isCount, fitsReadableMessage))) }),
    ),
    headers: answer(only({ headers: record(isText) })),
    body: answer(only({ body: maybe(isObject) })),
    session_before_compact: answer(
      only({ cancel: isFlag, summary: maybe(text(1048576)) }),
    ),
    user_bash: answer(
      only({ output: maybe(text(1048576)), isError: maybe(isFlag) }),
    ),
    validate: answer(only({ args: isObject })),
    render: answer(only({ lines: maybe(list(text(4096), 500)) })),
    command: answer(only({ isKnown: isFlag })),
    reload: answer(
      only({ loaded: list(text(65536)), failed: list(text(65536)) }),
    ),
    image: answer(only({ content: fitsUserContent })),
    probe: answer(
      only({
        report: only({
          operations: fitsRing,
          deno: fitsRing,
          system: fitsRing,
        }),
      }),
    ),
    failed: only({ askId: isCount, error: text(1048576) }),
  }),
  request: by("kind", {
    dialog: only({
      requestId: isCount,
      dialog: by("kind", {
        confirm: fields({ title: text(65536), message: text(65536) }),
        select: fields({
          title: text(65536),
          options: list(text(65536), 1000),
        }),
        input: fields({ title: text(65536), placeholder: maybe(text(65536)) }),
        editor: fields({ title: text(65536), prefill: maybe(text(65536)) }),
      }),
    }),
    fetch: only({
      requestId: isCount,
      request: only({
        url: isText,
        method: isText,
        headers: record(isText),
        body: maybe(isText),
        timeoutMs: maybe(isNumber),
      }),
    }),
    call: only({
      requestId: isCount,
      parent: text(200),
      tool: text(200),
      args: isObject,
      hasUpdates: isFlag,
    }),
    kill: only({ requestId: isCount, marker: text(200) }),
  }),
  retract: only({ requestId: isCount }),
  tell: by("kind", {
    activate: only({ names: list(text(200), 256) }),
    say: only({
      deliverAs: maybe(is("steer", "followUp")),
      message: fitsPluginMessage,
    }),
    say_as_user: only({
      deliverAs: maybe(is("steer", "followUp")),
      content: anyOf(text(262144), fitsUserContent),
    }),
    keep: only({ customType: text(200), data: maybe(isPresent) }),
    notice: only({
      plugin: text(65536),
      level: is("info", "warning", "error"),
      message: text(65536),
    }),
    fault: only({
      plugin: text(65536),
      path: text(65536),
      during: text(65536),
      message: text(65536),
      stack: maybe(text(65536)),
    }),
    abort: only({}),
    shutdown: only({}),
    compact: only({ instructions: maybe(text(16384)) }),
  }),
  refused: only({
    access: is("read", "write", "protected"),
    count: integer(0, 100000),
  }),
  pong: only({ n: isCount }),
  heard: only({ n: isCount }),
});

/** True for a KernelMessage. */
export function isKernelMessage(value: unknown): value is KernelMessage {
  return fitsKernelMessage(value);
}

/** True for a Message. */
export function isMessage(value: unknown): value is Message {
  return fitsReadableMessage(value);
}

/** When each kind of message may come, and how often in ten seconds. */
export const KERNEL_RULES: Record<KernelMessageType, KernelRule> = {
  "hello": { "phases": ["starting"] },
  "declare": { "phases": ["loading", "serving"], "maxInTenSeconds": 200 },
  "ready": { "phases": ["loading"] },
  "update": { "phases": ["serving"] },
  "result": { "phases": ["serving", "closing"] },
  "answer": { "phases": ["loading", "serving", "closing"] },
  "request": { "phases": ["loading", "serving"] },
  "retract": { "phases": ["loading", "serving"] },
  "tell": {
    "phases": ["loading", "serving", "closing"],
    "maxInTenSeconds": 2000,
  },
  "refused": { "phases": ["loading", "serving", "closing"] },
  "pong": { "phases": ["starting", "loading", "serving", "closing"] },
  "heard": { "phases": ["serving", "closing"] },
};

/** When a kind of message may come, and how often. */
export interface KernelRule {
  phases: readonly KernelPhase[];
  maxInTenSeconds?: number;
}
