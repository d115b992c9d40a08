import type { AssistantContent } from "../../src/model/content.ts";
import { emptyUsage } from "../../src/model/message.ts";
import type { AssistantDelta } from "../../src/model/stream.ts";

/** A line of a recording for {@linkcode recordingOf}. */
export interface RecordedExchange {
  /** What the request brings. */
  request: unknown[];
  content: AssistantContent[];
}

/** The text of a recording that compares prompts and results only. Answers with calls end as such. */
export function recordingOf(...exchanges: RecordedExchange[]): string {
  const header = {
    type: "recording",
    version: 2,
    model: { provider: "test", id: "recorded" },
    compares: "prompts",
  };
  const lines = exchanges.map(({ request: messages, content }) => ({
    type: "exchange",
    messages,
    answer: answerOf(content),
  }));
  return [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** What a recording compares of a prompt. */
export function asked(text: string): unknown {
  return { role: "user", text };
}

/** What a recording compares of a result. */
export function resulted(toolName: string, text: string): unknown {
  return { role: "toolResult", toolName, isError: false, text };
}

/** A text block of an answer. */
export function said(text: string): AssistantContent {
  return { type: "text", text };
}

function answerOf(content: readonly AssistantContent[]): AssistantDelta[] {
  const isCalling = content.some(({ type }) => type === "toolCall");
  return [
    { type: "start" },
    ...content.flatMap(deltasOf),
    {
      type: "done",
      reason: isCalling ? "toolUse" : "stop",
      usage: { ...emptyUsage(), input: 10, output: 5, totalTokens: 15 },
    },
  ];
}

function deltasOf(
  block: AssistantContent,
  contentIndex: number,
): AssistantDelta[] {
  switch (block.type) {
    case "text":
      return [
        { type: "text_start", contentIndex },
        { type: "text_delta", contentIndex, delta: block.text },
        { type: "text_end", contentIndex },
      ];
    case "thinking":
      return [
        { type: "thinking_start", contentIndex },
        { type: "thinking_delta", contentIndex, delta: block.thinking },
        { type: "thinking_end", contentIndex },
      ];
    case "toolCall": {
      const { id, name: toolName, arguments: args } = block;
      const delta = JSON.stringify(args);
      return [
        { type: "toolcall_start", contentIndex, id, toolName },
        { type: "toolcall_delta", contentIndex, delta },
        { type: "toolcall_end", contentIndex },
      ];
    }
  }
}
