import type { Api, Model } from "../../src/model/model.ts";
import type { AssistantDelta, Context } from "../../src/model/stream.ts";
import { readAnswer } from "../../src/providers/ask_provider.ts";
import { EventDecoder } from "../../src/providers/event_decoder.ts";
import { ProviderErrors } from "../../src/providers/provider_error.ts";
import { FORMATS } from "../../src/providers/delta_source_for.ts";

/** All wire formats. */
export const APIS = Object.keys(FORMATS) as Api[];

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
export async function* readPieces(
  model: Model,
  { pieces, context = { messages: [] } }: {
    pieces: Uint8Array[];
    context?: Context;
  },
): AsyncIterable<AssistantDelta[]> {
  const errors = new ProviderErrors(model.provider);
  const { wireFormat } = await FORMATS[model.api]();
  const decoder = new EventDecoder(() => errors.of("refused", "sent too much"));
  const events = async function* () {
    for (const piece of pieces) yield decoder.feed(piece);
    yield decoder.end();
  };
  const reader = wireFormat.reader({ model, context, errors });
  yield* readAnswer(reader, { events: events(), errors, options: {} });
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
