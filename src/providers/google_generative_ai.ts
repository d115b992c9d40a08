import type { Model } from "../model/model.ts";
import type {
  AssistantDelta,
  Context,
  StreamOptions,
} from "../model/stream.ts";
import { googleRequest } from "./google_generative_ai_request.ts";
import { GoogleReader } from "./google_generative_ai_stream.ts";
import { respond } from "./stream_response.ts";

/** Google's own format of the Gemini models. */
export function googleGenerativeAi(
  model: Model,
  context: Context,
  options: StreamOptions,
): AsyncIterable<AssistantDelta[]> {
  const id = encodeURIComponent(model.id.toWellFormed());
  return respond({ model, options }, {
    path: `/models/${id}:streamGenerateContent?alt=sse`,
    // The provider takes it in the URL, too, where logs would show it.
    credential: (key) => ({ "x-goog-api-key": key }),
    body: () => googleRequest(model, context, options),
    reader: (errors) => new GoogleReader(model, { context, errors }),
  });
}
