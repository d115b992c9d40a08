import type { AssistantContent } from "../../src/model/mod.ts";

/** A line of a recording for {@linkcode recordingOf}. */
export interface RecordedExchange {
  request: unknown[];
  content: AssistantContent[];
}

/** The text of a recording. Answers with calls end as such. */
export function recordingOf(...exchanges: RecordedExchange[]): string {
  const header = {
    type: "recording",
    version: 1,
    model: { provider: "test", id: "recorded" },
  };
  const lines = exchanges.map(({ request, content }) => ({
    type: "exchange",
    request,
    response: {
      content,
      stopReason: content.some(({ type }) => type === "toolCall")
        ? "toolUse"
        : "stop",
      usage: { input: 10, output: 5 },
    },
  }));
  return [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** What a recording compares of a prompt. */
export function asked(text: string): unknown {
  return { role: "user", text };
}

/** A text block of an answer. */
export function said(text: string): AssistantContent {
  return { type: "text", text };
}
