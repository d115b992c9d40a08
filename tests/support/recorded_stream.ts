import type { Api, Model } from "../../src/model/model.ts";
import type { AssistantDelta, Context } from "../../src/model/stream.ts";
import { AnthropicReader } from "../../src/providers/anthropic_messages_stream.ts";
import { EventDecoder } from "../../src/providers/event_decoder.ts";
import { GoogleReader } from "../../src/providers/google_generative_ai_stream.ts";
import { CompletionsReader } from "../../src/providers/openai_completions_stream.ts";
import { ResponsesReader } from "../../src/providers/openai_responses_stream.ts";
import { ProviderErrors } from "../../src/providers/provider_error.ts";
import { readAnswer } from "../../src/providers/stream_response.ts";

/** A model of a wire format, reached nowhere. */
export function testModel(api: Api, changes: Partial<Model> = {}): Model {
  return {
    id: "test-model",
    name: "Test model",
    api,
    provider: "lab",
    baseUrl: "http://127.0.0.1:1",
    input: ["text", "image"],
    reasoning: false,
    contextWindow: 100_000,
    maxTokens: 4096,
    ...changes,
  };
}

/** The bytes of `tests/fixtures/streams/<name>.sse`. */
export function recordedStream(name: string): Uint8Array {
  return Deno.readFileSync(
    new URL(`../fixtures/streams/${name}.sse`, import.meta.url),
  );
}

/** The wire format that a recorded stream is in, by its name. */
export function apiOf(name: string): Api {
  if (name.includes("responses")) return "openai-responses";
  if (name.includes("google")) return "google-generative-ai";
  return name.includes("anthropic")
    ? "anthropic-messages"
    : "openai-completions";
}

/** Reads a body that arrives in the given pieces, without a network: the batches of its deltas. */
export function readPieces(
  model: Model,
  { pieces, context = { messages: [] } }: {
    pieces: Uint8Array[];
    context?: Context;
  },
): AsyncIterable<AssistantDelta[]> {
  const errors = new ProviderErrors(model);
  const Reader = model.api === "anthropic-messages"
    ? AnthropicReader
    : model.api === "openai-responses"
    ? ResponsesReader
    : model.api === "google-generative-ai"
    ? GoogleReader
    : CompletionsReader;
  const decoder = new EventDecoder(() => errors.of("refused", "sent too much"));
  const events = async function* () {
    for (const piece of pieces) yield decoder.feed(piece);
    yield decoder.end();
  };
  const reader = new Reader(model, { context, errors });
  return readAnswer(reader, { events: events() });
}

/** Joins neighbouring deltas of the same block, so that only what was said counts. */
export function joinDeltas(batches: AssistantDelta[][]): AssistantDelta[] {
  const joined: AssistantDelta[] = [];
  for (const delta of batches.flat()) {
    const last = joined.at(-1);
    if (
      last && "delta" in last && "delta" in delta && last.type === delta.type &&
      last.contentIndex === delta.contentIndex
    ) last.delta += delta.delta;
    else joined.push({ ...delta });
  }
  return joined;
}
