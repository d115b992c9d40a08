import type { Api } from "../model/model.ts";
import type { AssistantDelta, DeltaSource } from "../model/stream.ts";

/**
 * The source of a wire format. Its code is loaded at the first call; a format
 * that is not supported gives a source whose only delta says so.
 */
export async function deltaSourceFor(api: Api): Promise<DeltaSource> {
  const [source] = await Promise.all([loadSource(api), warmUpFetch()]);
  return source;
}

async function loadSource(api: Api): Promise<DeltaSource> {
  switch (api) {
    case "openai-completions":
      return (await import("./openai_completions.ts")).openaiCompletions;
    case "openai-responses":
      return (await import("./openai_responses.ts")).openaiResponses;
    case "anthropic-messages":
      return (await import("./anthropic_messages.ts")).anthropicMessages;
    case "google-generative-ai":
      return (await import("./google_generative_ai.ts")).googleGenerativeAi;
    default:
      return unsupported;
  }
}

const unsupported: DeltaSource = async function* (model) {
  const error: AssistantDelta = {
    type: "error",
    reason: "error",
    errorKind: "refused",
    errorMessage: `The wire format "${model.api}" is not supported; ` +
      `set "api" of provider "${model.provider}" to "openai-completions", "openai-responses", "anthropic-messages" or "google-generative-ai"`,
  };
  yield [error];
};

/** The first use of fetch takes 6 ms: better now than when a request waits for it. This one goes nowhere. */
async function warmUpFetch(): Promise<void> {
  const { body } = await fetch("data:,");
  await body?.cancel();
}
