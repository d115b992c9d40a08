import assert from "node:assert/strict";
import { assembleMessage } from "../../src/model/assemble_message.ts";
import type { AssistantMessage } from "../../src/model/message.ts";
import {
  apiOf,
  joinDeltas,
  readPieces,
  recordedStream,
  testModel,
} from "../support/recorded_stream.ts";

/** What matters of a message: its blocks as short lines, how it ended, its tokens. */
interface Outcome {
  blocks: string[];
  stop: string;
  kind?: string;
  /** input / output / cacheRead / cacheWrite (/ reasoning) */
  usage: number[];
}

const outcomes: Record<string, Outcome> = {
  completions_text: {
    blocks: ["text né 你好😀"],
    stop: "stop stop",
    usage: [20, 30, 100, 0, 12],
  },
  completions_parallel_calls: {
    blocks: [
      "text Looking.",
      'call call_a read {"path":"né.txt"}',
      'call call_b bash {"command":"ls -l"}',
    ],
    stop: "toolUse tool_calls",
    usage: [20, 30, 100, 0, 12],
  },
  completions_empty_arguments: {
    blocks: ["call c1 ls {}"],
    stop: "toolUse tool_calls",
    usage: [0, 0, 0, 0],
  },
  completions_length: {
    blocks: ["text One two"],
    stop: "length length",
    usage: [20, 30, 100, 0, 12],
  },
  completions_refusal: {
    blocks: ["text I cannot do that."],
    stop: "stop stop",
    usage: [0, 0, 0, 0],
  },
  completions_reasoning: {
    blocks: ["thinking Hm, 42. [reasoning_content]", "text It is 42."],
    stop: "stop stop",
    usage: [20, 30, 100, 0, 12],
  },
  completions_no_done: {
    blocks: ["text ok"],
    stop: "stop stop",
    usage: [0, 0, 0, 0],
  },
  odd_length_inside_call: {
    blocks: ["call w1 write unparsed"],
    stop: "length length",
    usage: [0, 0, 0, 0],
  },
  odd_nulls: { blocks: ["text ok"], stop: "stop stop", usage: [5, 1, 0, 0] },
  odd_no_usage: { blocks: ["text ok"], stop: "stop stop", usage: [0, 0, 0, 0] },
  odd_no_index: {
    blocks: ['call c1 read {"path":"a"}', 'call c2 read {"path":"b"}'],
    stop: "toolUse tool_calls",
    usage: [0, 0, 0, 0],
  },
  odd_id_in_each_piece: {
    blocks: ['call c1 read {"path":"a"}', 'call c2 bash {"command":"ls"}'],
    stop: "toolUse tool_calls",
    usage: [0, 0, 0, 0],
  },
  odd_new_id_each_piece: {
    blocks: ['call c1 read {"path":"a"}', 'call c4 bash {"command":"ls"}'],
    stop: "toolUse tool_calls",
    usage: [0, 0, 0, 0],
  },
  odd_content_parts: {
    blocks: ["thinking Hm. []", "text Yes."],
    stop: "stop stop",
    usage: [0, 0, 0, 0],
  },
  odd_index_zero_twice: {
    blocks: ['call c1 read {"path":"a"}', 'call c2 read {"path":"b"}'],
    stop: "toolUse stop",
    usage: [0, 0, 0, 0],
  },
  odd_index_zero_no_arguments: {
    blocks: ["call c1 ls {}", "call c2 ls {}"],
    stop: "toolUse tool_calls",
    usage: [0, 0, 0, 0],
  },
  odd_no_ids: {
    blocks: [
      'call call read {"path":"a"}',
      'call call2 read {"path":"b"}',
      'call call3 bash {"command":"ls"}',
    ],
    stop: "toolUse tool_calls",
    usage: [0, 0, 0, 0],
  },
  odd_same_id_twice: {
    blocks: [
      'call same bash {"command":"echo A"}',
      'call same2 bash {"command":"echo B"}',
    ],
    stop: "toolUse tool_calls",
    usage: [0, 0, 0, 0],
  },
  odd_late_name: {
    blocks: ['call c1 read {"path":"a"}'],
    stop: "toolUse tool_calls",
    usage: [0, 0, 0, 0],
  },
  odd_function_call: {
    blocks: ['call call read {"path":"a"}'],
    stop: "toolUse function_call",
    usage: [0, 0, 0, 0],
  },
  odd_arguments_object: {
    blocks: ['call c1 read {"path":"a"}'],
    stop: "toolUse tool_calls",
    usage: [0, 0, 0, 0],
  },
  odd_whole_message: {
    blocks: ["text All at once"],
    stop: "stop stop",
    usage: [0, 0, 0, 0],
  },
  odd_two_reasoning_fields: {
    blocks: ["thinking Hm. [reasoning_content]", "text Yes."],
    stop: "stop stop",
    usage: [0, 0, 0, 0],
  },
  odd_done_without_finish: {
    blocks: ["text half an ans"],
    stop: "error",
    kind: "stream_cut",
    usage: [0, 0, 0, 0],
  },
  odd_error_after_200: {
    blocks: ["text half"],
    stop: "error",
    kind: "overloaded",
    usage: [0, 0, 0, 0],
  },
  odd_content_filter: {
    blocks: ["text half"],
    stop: "error",
    kind: "content_filter",
    usage: [0, 0, 0, 0],
  },
  odd_finish_error: {
    blocks: ["text half"],
    stop: "error",
    kind: "overloaded",
    usage: [0, 0, 0, 0],
  },
  anthropic_text: {
    blocks: ["text né 你好😀"],
    stop: "stop end_turn",
    usage: [25, 40, 100, 10],
  },
  anthropic_thinking_and_calls: {
    blocks: [
      "thinking Two files. [EqQB]",
      "redacted  [EmwK]",
      "text Reading.",
      'call toolu_1 read {"path":"né.txt"}',
      "call toolu_2 ls {}",
    ],
    stop: "toolUse tool_use",
    usage: [25, 40, 100, 10],
  },
  anthropic_length: {
    blocks: ["text One two"],
    stop: "length max_tokens",
    usage: [25, 40, 100, 10],
  },
  odd_anthropic_whole_input: {
    blocks: ['call toolu_1 read {"path":"a"}'],
    stop: "toolUse tool_use",
    usage: [25, 40, 100, 10],
  },
  odd_anthropic_input_forms: {
    blocks: [
      'call toolu_1 read {"path":"a"}',
      'call toolu_2 read {"path":"b"}',
    ],
    stop: "toolUse tool_use",
    usage: [25, 40, 0, 0],
  },
  odd_anthropic_unknown: {
    blocks: ["text Found."],
    stop: "stop end_turn",
    usage: [25, 40, 100, 10],
  },
  odd_anthropic_text_without_start: {
    blocks: ["text Found."],
    stop: "stop end_turn",
    usage: [25, 40, 100, 10],
  },
  odd_anthropic_length_inside_call: {
    blocks: ["call w1 write unparsed"],
    stop: "length max_tokens",
    usage: [25, 40, 100, 10],
  },
  odd_anthropic_unclosed_call: {
    blocks: [],
    stop: "error",
    kind: "stream_cut",
    usage: [25, 40, 100, 10],
  },
  odd_anthropic_refusal: {
    blocks: ["text I"],
    stop: "error",
    kind: "content_filter",
    usage: [25, 40, 100, 10],
  },
  odd_anthropic_error_after_200: {
    blocks: ["text half"],
    stop: "error",
    kind: "overloaded",
    usage: [25, 1, 100, 10],
  },
  odd_anthropic_context_full: {
    blocks: ["text half"],
    stop: "error",
    kind: "context_overflow",
    usage: [25, 40, 100, 10],
  },
  odd_anthropic_no_message_stop: {
    blocks: ["text half"],
    stop: "error",
    kind: "stream_cut",
    usage: [25, 40, 100, 10],
  },
  responses_text: {
    blocks: ["text né 你好😀"],
    stop: "stop completed",
    usage: [20, 30, 100, 0, 12],
  },
  responses_parallel_calls: {
    blocks: [
      "text Looking.",
      'call call_a read {"path":"né.txt"}',
      'call call_b bash {"command":"ls -l"}',
    ],
    stop: "toolUse completed",
    usage: [20, 30, 100, 0, 12],
  },
  responses_reasoning_and_call: {
    blocks: [
      'thinking Two files.\n\nRead one. [{"type":"reasoning","id":"rs_01","summary":[{"type":"summary_text","text":"Two files."},{"type":"summary_text","text":"Read one."}],"encrypted_content":"gAAAAB"}]',
      'thinking  [{"type":"reasoning","id":"rs_02","summary":[],"encrypted_content":"gAAAAC"}]',
      'call call_a read {"path":"né.txt"}',
    ],
    stop: "toolUse completed",
    usage: [20, 30, 100, 0, 12],
  },
  responses_length: {
    blocks: ["text One two"],
    stop: "length max_output_tokens",
    usage: [20, 30, 100, 0, 12],
  },
  responses_refusal: {
    blocks: ["text I cannot do that."],
    stop: "stop completed",
    usage: [20, 30, 100, 0, 12],
  },
  odd_responses_empty_arguments: {
    blocks: ["call c1 ls {}"],
    stop: "toolUse completed",
    usage: [20, 30, 100, 0, 12],
  },
  odd_responses_call_not_done: {
    blocks: [],
    stop: "error",
    kind: "stream_cut",
    usage: [20, 30, 100, 0, 12],
  },
  odd_responses_half_call_in_output: {
    blocks: [],
    stop: "error",
    kind: "stream_cut",
    usage: [20, 30, 100, 0, 12],
  },
  odd_responses_whole_call_not_done: {
    blocks: ['call call_a read {"path":"né.txt"}'],
    stop: "toolUse completed",
    usage: [20, 30, 100, 0, 12],
  },
  odd_responses_length_inside_call: {
    blocks: ["call w1 write unparsed"],
    stop: "length max_output_tokens",
    usage: [20, 30, 100, 0, 12],
  },
  odd_responses_unannounced_call: {
    blocks: [],
    stop: "error",
    kind: "stream_cut",
    usage: [0, 0, 0, 0],
  },
  odd_responses_two_versions: {
    blocks: [],
    stop: "error",
    kind: "stream_cut",
    usage: [0, 0, 0, 0],
  },
  odd_responses_content_filter: {
    blocks: ["text half"],
    stop: "error",
    kind: "content_filter",
    usage: [20, 30, 100, 0, 12],
  },
  odd_responses_broken_off: {
    blocks: ["text half"],
    stop: "error",
    kind: "stream_cut",
    usage: [20, 30, 100, 0, 12],
  },
  odd_responses_failed: {
    blocks: ["text half"],
    stop: "error",
    kind: "overloaded",
    usage: [20, 30, 100, 0, 12],
  },
  odd_responses_error_after_200: {
    blocks: ["text half"],
    stop: "error",
    kind: "rate_limit",
    usage: [0, 0, 0, 0],
  },
  odd_responses_not_completed: {
    blocks: ["text half"],
    stop: "error",
    kind: "stream_cut",
    usage: [0, 0, 0, 0],
  },
  odd_responses_items_only: {
    blocks: ["text All at once", 'call call_a read {"path":"né.txt"}'],
    stop: "toolUse completed",
    usage: [20, 30, 100, 0, 12],
  },
  odd_responses_whole_output: {
    blocks: ["text All at once", 'call call_a read {"path":"né.txt"}'],
    stop: "toolUse completed",
    usage: [20, 30, 100, 0, 12],
  },
  odd_responses_unknown: {
    blocks: ["text Found."],
    stop: "stop completed",
    usage: [20, 30, 100, 0, 12],
  },
  odd_responses_changing_ids: {
    blocks: ["text ok", 'call call_a read {"path":"né.txt"}'],
    stop: "toolUse completed",
    usage: [0, 0, 0, 0],
  },
  odd_responses_one_place: {
    blocks: [
      'call call_a read {"path":"né.txt"}',
      'call call_b bash {"command":"ls -l"}',
    ],
    stop: "toolUse completed",
    usage: [20, 30, 100, 0, 12],
  },
  odd_responses_same_id_twice: {
    blocks: [
      'call same bash {"command":"echo A"}',
      'call same2 bash {"command":"echo B"}',
    ],
    stop: "toolUse completed",
    usage: [20, 30, 100, 0, 12],
  },
  odd_responses_no_ids: {
    blocks: [
      'call call_a read {"path":"né.txt"}',
      'call call_b bash {"command":"ls -l"}',
    ],
    stop: "toolUse completed",
    usage: [20, 30, 100, 0, 12],
  },
  odd_responses_no_reason: {
    blocks: ["text half"],
    stop: "error",
    kind: "stream_cut",
    usage: [0, 0, 0, 0],
  },
  odd_responses_one_place_interleaved: {
    blocks: [
      'call call_a read {"path":"né.txt"}',
      'call call_b bash {"command":"ls -l"}',
    ],
    stop: "toolUse completed",
    usage: [20, 30, 100, 0, 12],
  },
  odd_responses_one_place_without_ids: {
    blocks: [
      'call call_a read {"path":"né.txt"}',
      'call call_b bash {"command":"ls -l"}',
    ],
    stop: "toolUse completed",
    usage: [20, 30, 100, 0, 12],
  },
  odd_responses_empty_call_not_done: {
    blocks: ["call c1 ls {}"],
    stop: "toolUse completed",
    usage: [20, 30, 100, 0, 12],
  },
  odd_responses_call_in_output: {
    blocks: ['call call_a read {"path":"né.txt"}'],
    stop: "toolUse completed",
    usage: [20, 30, 100, 0, 12],
  },
  odd_responses_cancelled: {
    blocks: ["text half"],
    stop: "error",
    kind: "overloaded",
    usage: [20, 30, 100, 0, 12],
  },
  odd_responses_open_model: {
    blocks: ["thinking Hm, 42. [undefined]", "text It is 42."],
    stop: "stop completed",
    usage: [5, 0, 0, 0],
  },
  google_text: {
    blocks: ["text né 你好😀"],
    stop: "stop STOP",
    usage: [20, 30, 100, 0, 12],
  },
  google_thinking_and_calls: {
    blocks: [
      "thinking Two files. [undefined]",
      "text Reading.",
      'call k8v2 read {"path":"né.txt"}',
      "call p0q3 ls {}",
    ],
    stop: "toolUse STOP",
    usage: [20, 30, 100, 0, 12],
  },
  google_length: {
    blocks: ["text One two"],
    stop: "length MAX_TOKENS",
    usage: [20, 30, 100, 0, 12],
  },
  odd_google_no_ids: {
    blocks: [
      'call call read {"path":"a"}',
      'call call2 read {"path":"b"}',
      "call call3 ls {}",
    ],
    stop: "toolUse STOP",
    usage: [0, 0, 0, 0],
  },
  odd_google_finish_in_each_chunk: {
    blocks: ["text One two"],
    stop: "stop STOP",
    usage: [20, 30, 100, 0, 12],
  },
  odd_google_prompt_blocked: {
    blocks: [],
    stop: "error",
    kind: "content_filter",
    usage: [5, 0, 0, 0],
  },
  odd_google_safety: {
    blocks: ["text half"],
    stop: "error",
    kind: "content_filter",
    usage: [20, 30, 100, 0, 12],
  },
  odd_google_malformed_call: {
    blocks: ["text half"],
    stop: "error",
    kind: "stream_cut",
    usage: [20, 30, 100, 0, 12],
  },
  odd_google_error_after_200: {
    blocks: ["text half"],
    stop: "error",
    kind: "overloaded",
    usage: [0, 0, 0, 0],
  },
  odd_google_no_finish: {
    blocks: ["text half an ans"],
    stop: "error",
    kind: "stream_cut",
    usage: [20, 0, 100, 0],
  },
  odd_google_nulls: {
    blocks: ["text ok"],
    stop: "stop STOP",
    usage: [5, 1, 0, 0],
  },
};

const names = [
  ...Deno.readDirSync(new URL("../fixtures/streams", import.meta.url)),
].map((file) => file.name.replace(/\.sse$/, "")).sort();

Deno.test("the recorded streams and the outcomes are the same list", () => {
  assert.deepEqual(Object.keys(outcomes).sort(), names);
});

for (const name of names) {
  const bytes = recordedStream(name);
  const model = testModel(apiOf(name));

  Deno.test(`readAnswer() reads ${name} as the outcome says`, async () => {
    const stream = assembleMessage(
      model,
      readPieces(model, { pieces: [bytes] }),
    );
    assert.deepEqual(outcomeOf(await stream.result()), outcomes[name]);
  });

  Deno.test(`readAnswer() gives the same deltas of ${name}, cut in two at every byte`, async () => {
    const read = async (pieces: Uint8Array[]) =>
      joinDeltas(await Array.fromAsync(readPieces(model, { pieces })));
    const whole = await read([bytes]);
    for (let at = 1; at < bytes.length; at++) {
      const pieces = [bytes.subarray(0, at), bytes.subarray(at)];
      assert.deepEqual(await read(pieces), whole, `cut at byte ${at}`);
    }
    const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
    assert.deepEqual(await read(single), whole, "byte by byte");
  });

  Deno.test(`readAnswer() never completes ${name} before its end, ended at every byte`, async () => {
    const outcome = outcomes[name] as Outcome;
    const terminal = terminalOffset(name, bytes);
    for (let at = 0; at < bytes.length; at++) {
      const pieces = [bytes.subarray(0, at)];
      const stream = assembleMessage(model, readPieces(model, { pieces }));
      const message = await stream.result();
      const { blocks, stop } = outcomeOf(message);
      if (at < terminal) {
        assert.equal(stop, "error", `${stop} at byte ${at}`);
      } else if (outcome.kind === undefined) {
        assert.equal(stop, outcome.stop, `at byte ${at}`);
      }
      for (const block of blocks) {
        if (block.startsWith("call ")) {
          assert(outcome.blocks.includes(block), `${block} at byte ${at}`);
        }
      }
    }
  });
}

/** The length of the shortest beginning that holds the event that completes the answer. */
function terminalOffset(name: string, bytes: Uint8Array): number {
  const text = new TextDecoder().decode(bytes);
  const pattern = name.includes("anthropic")
    ? /data: \{"type":"message_stop"\}/
    : name.includes("responses")
    ? /data: \{"type":"response\.(completed|incomplete)".*/
    : name.includes("google")
    ? /data: .*"finishReason":"[A-Z_]+".*/
    : /data: .*"finish_reason":"[a-z_]+".*/;
  const match = pattern.exec(text);
  if (!match) return bytes.length;
  const end = text.slice(0, match.index + match[0].length);
  return new TextEncoder().encode(end).length;
}

function outcomeOf(message: AssistantMessage): Outcome {
  const { input, output, cacheRead, cacheWrite, reasoning } = message.usage;
  const stop = [message.stopReason, message.rawStopReason]
    .filter((word) => word !== undefined).join(" ");
  return {
    blocks: message.content.map((block) => {
      if (block.type === "text") return `text ${block.text}`;
      if (block.type === "thinking") {
        const word = block.redacted ? "redacted" : "thinking";
        return `${word} ${block.thinking} [${block.thinkingSignature}]`;
      }
      const args = block.argumentsError === undefined
        ? JSON.stringify(block.arguments)
        : "unparsed";
      return `call ${block.id} ${block.name} ${args}`;
    }),
    stop,
    ...(message.errorKind === undefined ? {} : { kind: message.errorKind }),
    usage: [
      input,
      output,
      cacheRead,
      cacheWrite,
      ...(reasoning === undefined ? [] : [reasoning]),
    ],
  };
}
