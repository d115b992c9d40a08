import { type Answer, entries, pieces, stopOf } from "./provider_answer.ts";

/** The stream of an answer as Google's format sends it: calls whole, all in one chunk, without ids of its own. `prefix` makes signatures unique. */
export function googleStream(answer: Answer, prefix: string): string {
  const usage = answer.usage ?? { input: 10, output: 5 };
  const chunks: object[] = [];
  const chunk = (parts: object[], finishReason?: string) => {
    const candidate = { content: { parts, role: "model" }, index: 0 };
    chunks.push({
      candidates: [finishReason ? { ...candidate, finishReason } : candidate],
      usageMetadata: {
        promptTokenCount: usage.input,
        ...(finishReason ? { candidatesTokenCount: usage.output } : {}),
        totalTokenCount: usage.input + (finishReason ? usage.output : 0),
      },
      modelVersion: "double",
      responseId: `resp-${prefix}`,
    });
  };
  for (const text of pieces(answer.thinking ?? "")) {
    chunk([{ text, thought: true }]);
  }
  for (const text of pieces(answer.text ?? "")) chunk([{ text }]);
  const calls = entries(answer).map(([i, { id, name, arguments: args }]) => ({
    functionCall: { name, args, ...(id === undefined ? {} : { id }) },
    ...(i === 0 ? { thoughtSignature: `sig-${prefix}` } : {}),
  }));
  if (calls.length > 0) chunk(calls);
  chunk([{ text: "" }], stopOf(answer) === "length" ? "MAX_TOKENS" : "STOP");
  return chunks.map((item) => `data: ${JSON.stringify(item)}\r\n\r\n`).join("");
}
