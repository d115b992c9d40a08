import type {
  AssistantContent,
  AssistantDelta,
  DeltaSource,
  Model,
} from "../model/mod.ts";
import { emptyUsage } from "../model/mod.ts";
import { canonicalMessages, type Exchange } from "./recording.ts";

/** Characters of one delta, so that a replay streams as a provider does. */
const DELTA_LENGTH = 24;

/** The model of a replayed run. */
export const REPLAY_MODEL: Model = {
  id: "recorded",
  name: "A recording",
  api: "openai-completions",
  provider: "replay",
  baseUrl: "",
  input: ["text", "image"],
  reasoning: false,
  contextWindow: 1_000_000,
  maxTokens: 100_000,
};

/**
 * Answers from a recording, in its order. What a request brings must equal
 * what was recorded, tool results to the letter; otherwise the answer is an
 * error of kind `replay_miss` with the difference.
 */
export function replaySource(
  exchanges: readonly Exchange[],
  { cwd, name }: { cwd: string; name: string },
): DeltaSource {
  let next = 0;
  let seen = 0;
  return async function* (_model, context) {
    const received = canonicalMessages(context.messages.slice(seen), cwd);
    seen = context.messages.length;
    const exchange = exchanges[next++];
    if (!exchange) {
      yield [miss(`"${name}" has no answer to request ${next}`)];
      return;
    }
    const difference = await differenceOf(exchange.request, received);
    if (difference !== undefined) {
      yield [
        miss(`Request ${next} is not the one in "${name}":\n${difference}`),
      ];
      return;
    }
    yield [{ type: "start" }];
    for (const [contentIndex, block] of exchange.response.content.entries()) {
      yield* blockDeltas(block, contentIndex);
    }
    yield [doneDelta(exchange)];
  };
}

function miss(errorMessage: string): AssistantDelta {
  return {
    type: "error",
    reason: "error",
    errorKind: "replay_miss",
    errorMessage: `Replay miss: ${errorMessage}`,
  };
}

function doneDelta({ response }: Exchange): AssistantDelta {
  const { input, output } = response.usage;
  const usage = { ...emptyUsage(), input, output, totalTokens: input + output };
  return { type: "done", reason: response.stopReason, usage };
}

function* blockDeltas(
  block: AssistantContent,
  contentIndex: number,
): Iterable<AssistantDelta[]> {
  switch (block.type) {
    case "text":
      yield [{ type: "text_start", contentIndex }];
      for (const delta of pieces(block.text)) {
        yield [{ type: "text_delta", contentIndex, delta }];
      }
      yield [{ type: "text_end", contentIndex }];
      break;
    case "thinking":
      yield [{ type: "thinking_start", contentIndex }];
      for (const delta of pieces(block.thinking)) {
        yield [{ type: "thinking_delta", contentIndex, delta }];
      }
      yield [{ type: "thinking_end", contentIndex }];
      break;
    case "toolCall": {
      const { id, name: toolName } = block;
      yield [{ type: "toolcall_start", contentIndex, id, toolName }];
      for (const delta of pieces(JSON.stringify(block.arguments))) {
        yield [{ type: "toolcall_delta", contentIndex, delta }];
      }
      yield [{ type: "toolcall_end", contentIndex }];
    }
  }
}

function* pieces(text: string): Iterable<string> {
  for (let at = 0; at < text.length; at += DELTA_LENGTH) {
    yield text.slice(at, at + DELTA_LENGTH);
  }
}

/** A unified diff of two requests, or undefined when they are equal. */
async function differenceOf(
  recorded: Exchange["request"],
  received: ReturnType<typeof canonicalMessages>,
): Promise<string | undefined> {
  const [was, is] = [recorded, received].map(readable) as [string, string];
  if (was === is) return undefined;
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("diff");
  return createTwoFilesPatch("recorded", "received", was, is, "", "", {
    context: 2,
    timeout: 1000,
    headerOptions: FILE_HEADERS_ONLY,
  }) ?? `recorded:\n${was}\nreceived:\n${is}`;
}

function readable(messages: Exchange["request"]): string {
  return messages.map(({ text, ...head }) =>
    `${JSON.stringify(head, Object.keys(head).sort())}\n${text}\n`
  ).join("\n");
}
