import type { Model } from "../model/model.ts";
import type {
  AssistantDelta,
  Context,
  StreamOptions,
} from "../model/stream.ts";
import { completionsRequest } from "./openai_completions_request.ts";
import { CompletionsReader } from "./openai_completions_stream.ts";
import { respond } from "./stream_response.ts";

/** Chat completions: OpenAI's first format, which most other servers speak. */
export function openaiCompletions(
  model: Model,
  context: Context,
  options: StreamOptions,
): AsyncIterable<AssistantDelta[]> {
  return respond({ model, options }, {
    path: "/chat/completions",
    credential: (key) => ({ authorization: `Bearer ${key}` }),
    body: () => completionsRequest(model, context, options),
    reader: (errors) => new CompletionsReader(model, { context, errors }),
  });
}
