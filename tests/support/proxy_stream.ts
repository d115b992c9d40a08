import type { AssistantDelta } from "../../src/model/stream.ts";
import { type Answer, entries, pieces, stopOf } from "./provider_answer.ts";

/** The stream of an answer as a proxy sends it: deltas, with the price that the proxy knows. `prefix` makes ids unique. */
export function proxyStream(answer: Answer, prefix: string): string {
  const { input, output } = answer.usage ?? { input: 10, output: 5 };
  const deltas: AssistantDelta[] = [{
    type: "start",
    responseId: `proxied-${prefix}`,
    responseModel: "double",
  }];
  let contentIndex = 0;
  for (const type of ["thinking", "text"] as const) {
    const texts = pieces(answer[type] ?? "");
    if (texts.length === 0) continue;
    deltas.push(
      { type: `${type}_start`, contentIndex },
      ...texts.map((delta): AssistantDelta => ({
        type: `${type}_delta`,
        contentIndex,
        delta,
      })),
      { type: `${type}_end`, contentIndex },
    );
    contentIndex++;
  }
  for (const [i, { id = `call_${prefix}_${i}`, ...call }] of entries(answer)) {
    const delta = JSON.stringify(call.arguments);
    deltas.push(
      { type: "toolcall_start", contentIndex, id, toolName: call.name },
      { type: "toolcall_delta", contentIndex, delta },
      { type: "toolcall_end", contentIndex: contentIndex++ },
    );
  }
  const cost = { input, output: 2 * output, cacheRead: 0, cacheWrite: 0 };
  const usage = {
    ...{ input, output, cacheRead: 0, cacheWrite: 0 },
    totalTokens: input + output,
    cost: { ...cost, total: cost.input + cost.output },
  };
  deltas.push({ type: "done", reason: stopOf(answer), usage });
  return deltas.map((delta) => `data: ${JSON.stringify(delta)}\n\n`).join("");
}
