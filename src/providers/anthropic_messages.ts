import type { Model } from "../model/model.ts";
import type {
  AssistantDelta,
  Context,
  StreamOptions,
} from "../model/stream.ts";
import { anthropicRequest } from "./anthropic_messages_request.ts";
import { AnthropicReader } from "./anthropic_messages_stream.ts";
import { respond } from "./stream_response.ts";

/** Anthropic's messages format. */
export function anthropicMessages(
  model: Model,
  context: Context,
  options: StreamOptions,
): AsyncIterable<AssistantDelta[]> {
  return respond({ model, options }, {
    // People write this base URL with and without its version.
    path: model.baseUrl.replace(/\/+$/, "").endsWith("/v1")
      ? "/messages"
      : "/v1/messages",
    headers: { "anthropic-version": "2023-06-01" },
    credential: (key) => ({ "x-api-key": key }),
    body: () => anthropicRequest(model, context, options),
    reader: (errors) => new AnthropicReader(model, { context, errors }),
  });
}
