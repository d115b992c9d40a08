import type { Model } from "../model/model.ts";
import type {
  AssistantDelta,
  Context,
  StreamOptions,
} from "../model/stream.ts";
import { responsesRequest } from "./openai_responses_request.ts";
import { ResponsesReader } from "./openai_responses_stream.ts";
import { respond } from "./stream_response.ts";

/** Responses: OpenAI's later format. Nothing is stored at the server; each request says everything. */
export function openaiResponses(
  model: Model,
  context: Context,
  options: StreamOptions,
): AsyncIterable<AssistantDelta[]> {
  return respond({ model, options }, {
    path: "/responses",
    credential: (key) => ({ authorization: `Bearer ${key}` }),
    body: () => responsesRequest(model, context, options),
    reader: (errors) => new ResponsesReader(model, { context, errors }),
  });
}
