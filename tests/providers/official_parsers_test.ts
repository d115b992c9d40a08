import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import assert from "node:assert/strict";
import { assembleMessage } from "../../src/model/assemble_message.ts";
import {
  anthropicStream,
  call,
  completionsStream,
} from "../support/provider_answer.ts";
import {
  apiOf,
  readPieces,
  recordedStream,
  testModel,
} from "../support/recorded_stream.ts";
import { responsesStream } from "../support/responses_stream.ts";

/** What both parsers can tell of an answer. */
interface Reading {
  thinking: string;
  text: string;
  calls: { id: string; name: string; arguments: unknown }[];
  stop: string | null | undefined;
  /** All input tokens, and those of output. */
  tokens: [input: number, output: number];
}

const answer = {
  thinking: "Let me see.",
  text: "I read two files, né.",
  calls: [call("read", { path: "né.txt" }), call("ls")],
  usage: { input: 7, output: 3 },
};

const streams: [name: string, bytes: Uint8Array][] = [
  "completions_text",
  "completions_parallel_calls",
  "completions_length",
  "completions_refusal",
  "responses_text",
  "responses_parallel_calls",
  "responses_reasoning_and_call",
  "responses_length",
  "responses_refusal",
  "anthropic_text",
  "anthropic_thinking_and_calls",
  "anthropic_length",
].map((name) => [name, recordedStream(name)]);
streams.push(
  [
    "the double's completions",
    new TextEncoder().encode(completionsStream(answer, "1")),
  ],
  [
    "the double's responses",
    new TextEncoder().encode(responsesStream(answer, "1")),
  ],
  [
    "the double's anthropic messages",
    new TextEncoder().encode(anthropicStream(answer, "1")),
  ],
);

for (const [name, bytes] of streams) {
  Deno.test(`readAnswer() reads ${name} as the provider's own parser does`, async () => {
    const api = apiOf(name);
    const official = api === "anthropic-messages"
      ? await readWithAnthropic(bytes)
      : api === "openai-responses"
      ? await readWithResponses(bytes)
      : await readWithOpenAI(bytes);
    assert.deepEqual(await readWithTau(name, bytes), official);
  });
}

async function readWithTau(name: string, bytes: Uint8Array): Promise<Reading> {
  const model = testModel(apiOf(name));
  const message = await assembleMessage(
    model,
    readPieces(model, { pieces: [bytes] }),
  ).result();
  const reading: Reading = {
    thinking: "",
    text: "",
    calls: [],
    stop: message.rawStopReason,
    tokens: [
      message.usage.input + message.usage.cacheRead + message.usage.cacheWrite,
      message.usage.output,
    ],
  };
  for (const block of message.content) {
    if (block.type === "text") reading.text += block.text;
    else if (block.type === "thinking") reading.thinking += block.thinking;
    else {
      reading.calls.push({
        id: block.id,
        name: block.name,
        arguments: block.arguments,
      });
    }
  }
  return reading;
}

function answering(bytes: Uint8Array): () => Promise<Response> {
  const headers = { "content-type": "text/event-stream" };
  return () => Promise.resolve(new Response(bytes.slice(), { headers }));
}

async function readWithOpenAI(bytes: Uint8Array): Promise<Reading> {
  const client = new OpenAI({ apiKey: "none", fetch: answering(bytes) });
  // Reasoning is a field of other servers; the official parser drops it.
  let thinking = "";
  const stream = client.chat.completions.stream({
    model: "m",
    messages: [{ role: "user", content: "x" }],
    stream_options: { include_usage: true },
  }).on("chunk", (chunk) => {
    const delta = chunk.choices[0]?.delta as { reasoning_content?: string };
    thinking += delta?.reasoning_content ?? "";
  });
  const completion = await stream.finalChatCompletion();
  const choice = completion.choices[0];
  return {
    thinking,
    text: (choice?.message.content ?? "") + (choice?.message.refusal ?? ""),
    calls: (choice?.message.tool_calls ?? []).map((item) => {
      assert(item.type === "function");
      return {
        id: item.id as string,
        name: item.function?.name as string,
        arguments: JSON.parse(item.function?.arguments as string),
      };
    }),
    stop: choice?.finish_reason,
    tokens: [
      completion.usage?.prompt_tokens ?? 0,
      completion.usage?.completion_tokens ?? 0,
    ],
  };
}

async function readWithResponses(bytes: Uint8Array): Promise<Reading> {
  const client = new OpenAI({ apiKey: "none", fetch: answering(bytes) });
  const response = await client.responses.stream({ model: "m", input: "x" })
    .finalResponse();
  const thoughts: string[] = [];
  const reading: Reading = {
    thinking: "",
    text: "",
    calls: [],
    stop: response.incomplete_details?.reason ?? response.status,
    tokens: [
      response.usage?.input_tokens ?? 0,
      response.usage?.output_tokens ?? 0,
    ],
  };
  for (const item of response.output) {
    if (item.type === "reasoning") {
      thoughts.push(...item.summary.map(({ text }) => text));
    } else if (item.type === "message") {
      for (const part of item.content) {
        reading.text += part.type === "refusal" ? part.refusal : part.text;
      }
    } else if (item.type === "function_call") {
      reading.calls.push({
        id: item.call_id,
        name: item.name,
        arguments: JSON.parse(item.arguments),
      });
    }
  }
  return { ...reading, thinking: thoughts.join("\n\n") };
}

async function readWithAnthropic(bytes: Uint8Array): Promise<Reading> {
  const client = new Anthropic({ apiKey: "none", fetch: answering(bytes) });
  const message = await client.messages.stream({
    model: "m",
    max_tokens: 10,
    messages: [{ role: "user", content: "x" }],
  }).finalMessage();
  const { usage } = message;
  const reading: Reading = {
    thinking: "",
    text: "",
    calls: [],
    stop: message.stop_reason,
    tokens: [
      usage.input_tokens + (usage.cache_read_input_tokens ?? 0) +
      (usage.cache_creation_input_tokens ?? 0),
      usage.output_tokens,
    ],
  };
  for (const block of message.content) {
    if (block.type === "text") reading.text += block.text;
    else if (block.type === "thinking") reading.thinking += block.thinking;
    else if (block.type === "tool_use") {
      reading.calls.push({
        id: block.id,
        name: block.name,
        arguments: block.input,
      });
    }
  }
  return reading;
}
