import type Anthropic from "@anthropic-ai/sdk";
import type OpenAI from "openai";
import type { JsonObject } from "../../src/model/content.ts";

/** A tool call of an {@linkcode Answer}. */
export interface AnswerCall {
  name: string;
  arguments: JsonObject;
  /** Made from the place in the script when absent. */
  id?: string;
}

/** What a model says, in no wire format yet. */
export interface Answer {
  thinking?: string;
  text?: string;
  calls?: AnswerCall[];
  /** `stop`, or `toolUse` with calls, when absent. */
  stop?: "stop" | "toolUse" | "length";
  usage?: { input: number; output: number };
}

/** A tool call for {@linkcode say}. */
export function call(
  name: string,
  args: JsonObject = {},
  id?: string,
): AnswerCall {
  return { name, arguments: args, ...(id === undefined ? {} : { id }) };
}

/** An answer: text, then tool calls. */
export function say(text: string, ...calls: AnswerCall[]): { say: Answer } {
  return { say: { text, calls } };
}

type ChunkWire = OpenAI.Chat.Completions.ChatCompletionChunk;
type ChoiceWire = OpenAI.Chat.Completions.ChatCompletionChunk.Choice;

/** The stream of an answer as OpenAI's completions format sends it. `prefix` makes ids unique. */
export function completionsStream(answer: Answer, prefix: string): string {
  const usage = answer.usage ?? { input: 10, output: 5 };
  const head = {
    id: `chatcmpl-${prefix}`,
    object: "chat.completion.chunk",
    created: 1764400000,
    model: "double",
  } as const;
  const chunks: ChunkWire[] = [];
  const chunk = (
    delta: ChoiceWire["delta"] & { reasoning_content?: string },
    finish_reason: ChoiceWire["finish_reason"] = null,
  ) => {
    chunks.push({ ...head, choices: [{ index: 0, delta, finish_reason }] });
  };
  chunk({ role: "assistant", content: "" });
  for (const piece of pieces(answer.thinking ?? "")) {
    chunk({ reasoning_content: piece });
  }
  for (const piece of pieces(answer.text ?? "")) chunk({ content: piece });
  for (const [index, { id, name, arguments: args }] of entries(answer)) {
    chunk({
      tool_calls: [{
        index,
        id: id ?? `call_${prefix}_${index}`,
        type: "function",
        function: { name, arguments: "" },
      }],
    });
    for (const piece of pieces(JSON.stringify(args))) {
      chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }
  const stops = {
    stop: "stop",
    toolUse: "tool_calls",
    length: "length",
  } as const;
  chunk({}, stops[stopOf(answer)]);
  chunks.push({
    ...head,
    choices: [],
    usage: {
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.output,
    },
  });
  return chunks.map((item) => `data: ${JSON.stringify(item)}\n\n`).join("") +
    "data: [DONE]\n\n";
}

/** The stream of an answer as Anthropic's messages format sends it. `prefix` makes ids unique. */
export function anthropicStream(answer: Answer, prefix: string): string {
  const usage = answer.usage ?? { input: 10, output: 5 };
  const none = {
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens_details: null,
    server_tool_use: null,
  };
  const events: { type: string }[] = [{
    type: "message_start",
    message: {
      id: `msg_${prefix}`,
      type: "message",
      role: "assistant",
      model: "double",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: usage.input, output_tokens: 1, ...none },
    },
  } as unknown as Anthropic.RawMessageStartEvent, { type: "ping" }];
  let index = 0;
  const block = (content_block: unknown, deltas: unknown[]) => {
    const start = { type: "content_block_start", index, content_block };
    events.push(
      start,
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index } as { type: string },
    );
    index++;
  };
  if (answer.thinking) {
    block({ type: "thinking", thinking: "", signature: "" }, [
      ...pieces(answer.thinking)
        .map((thinking) => ({ type: "thinking_delta", thinking })),
      { type: "signature_delta", signature: `sig-${prefix}` },
    ]);
  }
  if (answer.text) {
    block(
      { type: "text", text: "", citations: null },
      pieces(answer.text).map((text) => ({ type: "text_delta", text })),
    );
  }
  for (const [i, { id, name, arguments: args }] of entries(answer)) {
    block(
      { type: "tool_use", id: id ?? `toolu_${prefix}_${i}`, name, input: {} },
      ["", ...pieces(JSON.stringify(args))]
        .map((partial_json) => ({ type: "input_json_delta", partial_json })),
    );
  }
  const stops = {
    stop: "end_turn",
    toolUse: "tool_use",
    length: "max_tokens",
  } as const;
  events.push(
    {
      type: "message_delta",
      delta: {
        container: null,
        stop_details: null,
        stop_reason: stops[stopOf(answer)],
        stop_sequence: null,
      },
      usage: {
        input_tokens: usage.input,
        output_tokens: usage.output,
        ...none,
      },
    } as Anthropic.RawMessageDeltaEvent,
    { type: "message_stop" },
  );
  return events
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
}

/** Why the answer ends. */
export function stopOf(answer: Answer): "stop" | "toolUse" | "length" {
  return answer.stop ?? (answer.calls?.length ? "toolUse" : "stop");
}

/** The calls of an answer with their places. */
export function entries(answer: Answer): [number, AnswerCall][] {
  return [...(answer.calls ?? []).entries()];
}

/** Three pieces, so that every answer is put together from several. */
export function pieces(text: string): string[] {
  const third = Math.ceil(text.length / 3);
  return [
    text.slice(0, third),
    text.slice(third, 2 * third),
    text.slice(2 * third),
  ]
    .filter((piece) => piece !== "");
}
