import assert from "node:assert/strict";
import { assembleMessage } from "../../src/model/assemble_message.ts";
import type { Api } from "../../src/model/model.ts";
import { STOP_REASONS } from "../../src/providers/stop_reasons.ts";
import { APIS, readPieces, testModel } from "../support/recorded_stream.ts";

/** The events that end an answer with a stop reason. */
const ENDS: Record<Api, (word: string) => object[]> = {
  "openai-completions": (word) => [{
    choices: [{ delta: { content: "a" }, finish_reason: word }],
  }],
  "openai-responses": (word) => [
    /_|filter$/.test(word)
      ? {
        type: "response.incomplete",
        response: { incomplete_details: { reason: word } },
      }
      : { type: "response.completed", response: { status: word } },
  ],
  "anthropic-messages": (word) => [
    { type: "message_delta", delta: { stop_reason: word } },
    { type: "message_stop" },
  ],
  "google-generative-ai": (word) => [{ candidates: [{ finishReason: word }] }],
};

/** Stop reasons by how a message with them ends: its stop reason, or the kind of its failure. */
const WORDS: Record<Api, Record<string, string>> = {
  "openai-completions": {
    stop: "stop eos constructor __proto__",
    length: "length max_tokens model_length",
    content_filter: "content_filter",
    overloaded: "error network_error insufficient_system_resource",
  },
  "openai-responses": {
    stop: "completed whatever",
    length: "max_output_tokens",
    content_filter: "content_filter",
    overloaded: "failed cancelled",
    stream_cut: "incomplete another_reason",
  },
  "anthropic-messages": {
    stop: "end_turn stop_sequence pause_turn constructor",
    length: "max_tokens",
    content_filter: "refusal",
    context_overflow: "model_context_window_exceeded",
  },
  "google-generative-ai": {
    stop: "STOP FINISH_REASON_UNSPECIFIED toString",
    length: "MAX_TOKENS CONTINUATION",
    content_filter: "SAFETY RECITATION LANGUAGE BLOCKLIST SPII " +
      "PROHIBITED_CONTENT IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT " +
      "IMAGE_RECITATION",
    stream_cut: "MALFORMED_FUNCTION_CALL UNEXPECTED_TOOL_CALL OTHER " +
      "TOO_MANY_TOOL_CALLS MALFORMED_RESPONSE",
  },
};

for (const api of APIS) {
  Deno.test(`a stop reason of ${api} ends the message as the table says`, async () => {
    const left = new Set(Object.keys(STOP_REASONS[api]));
    for (const [expected, list] of Object.entries(WORDS[api])) {
      for (const word of list.split(" ")) {
        left.delete(word);
        const { stopReason, errorKind, errorMessage, rawStopReason } =
          await read(api, word);
        assert.equal(errorKind ?? stopReason, expected, word);
        if (errorKind === undefined) assert.equal(rawStopReason, word);
        else {assert.match(
            errorMessage ?? "",
            new RegExp(`^lab .*\\(${word}\\)`),
          );}
      }
    }
    assert.deepEqual([...left], []);
  });
}

function read(api: Api, word: string) {
  const model = testModel(api);
  const body = ENDS[api](word)
    .map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const pieces = [new TextEncoder().encode(body.join(""))];
  return assembleMessage(model, readPieces(model, { pieces })).result();
}
