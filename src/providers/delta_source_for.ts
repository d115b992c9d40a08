import type { Api } from "../model/model.ts";
import type { DeltaSource } from "../model/stream.ts";
import type { WireFormat } from "./wire_format.ts";

/** The wire formats by their names. Each is loaded when a run first needs it. */
export const FORMATS: Record<Api, () => Promise<{ wireFormat: WireFormat }>> = {
  "openai-completions": () => import("./formats/openai_completions.ts"),
  "openai-responses": () => import("./formats/openai_responses.ts"),
  "anthropic-messages": () => import("./formats/anthropic_messages.ts"),
  "google-generative-ai": () => import("./formats/google_generative_ai.ts"),
};

/**
 * Loads a wire format. The source of one that is not supported has one delta,
 * an error that says so.
 */
export async function deltaSourceFor(api: Api): Promise<DeltaSource> {
  if (!Object.hasOwn(FORMATS, api)) return unsupported;
  const [{ wireFormat }, { askProvider }] = await Promise.all([
    FORMATS[api](),
    import("./ask_provider.ts"),
    warmUpFetch(),
  ]);
  return (model, context, options) =>
    askProvider(wireFormat, { model, context, options });
}

const unsupported: DeltaSource = async function* ({ api, provider }) {
  const known = Object.keys(FORMATS).map((name) => `"${name}"`);
  yield [{
    type: "error",
    reason: "error",
    errorKind: "refused",
    errorMessage: `The wire format "${api}" is not supported; ` +
      `set "api" of provider "${provider}" to one of ${known.join(", ")}`,
  }];
};

/** Makes a first use of fetch that goes nowhere. It takes 6 ms: better now than when a request waits for it. */
async function warmUpFetch(): Promise<void> {
  const { body } = await fetch("data:,");
  await body?.cancel();
}
