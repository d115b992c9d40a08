import assert from "node:assert/strict";
import { assembleMessage } from "../../src/model/assemble_message.ts";
import type { ToolCall } from "../../src/model/content.ts";
import {
  type AssistantMessage,
  emptyUsage,
  type Message,
} from "../../src/model/message.ts";
import type { Model } from "../../src/model/model.ts";
import type { ModelErrorKind } from "../../src/model/model_error.ts";
import type {
  AssistantDelta,
  Context,
  StreamFn,
  StreamOptions,
} from "../../src/model/stream.ts";

/** The model that scripted answers come from. */
export const testModel: Model = {
  id: "scripted",
  name: "Scripted",
  api: "openai-completions",
  provider: "test",
  baseUrl: "http://127.0.0.1:9",
  input: ["text"],
  reasoning: true,
  contextWindow: 100_000,
  maxTokens: 4_000,
};

/** A tool call of a script, with its arguments as the model would write them. */
export interface ScriptedCall {
  type: "call";
  id: string;
  name: string;
  argumentsText: string;
}

type Block =
  | ScriptedCall
  | { type: "text"; text: string }
  | { type: "thinking"; text: string };

type End = Extract<AssistantDelta, { type: "done" | "error" }>;

/** One answer of a script. Make it with {@linkcode say} and change it with the functions below. */
export interface Answer {
  blocks: Block[];
  end: End;
  /** The answer stops after its first block until this resolves. */
  gate?: Promise<unknown>;
}

/** A stream function that plays a script and keeps what it was asked. */
export interface ScriptedModel extends StreamFn {
  /** The context of each request. */
  contexts: Context[];
  /** Model and options of each request. */
  requests: { model: Model; options: StreamOptions }[];
  /**
   * Fails when a request was wrong, when a context was changed after it was
   * sent, or when answers are left, unless the run was meant to end early.
   * Every test must call it, since a stream function cannot throw.
   */
  assertPlayed(options?: { endedEarly?: boolean }): void;
}

let callCount = 0;

/** A tool call for {@linkcode say}. Ids are unique unless one is given, so results cannot be mixed up. */
export function call(
  name: string,
  args: unknown = {},
  { id = `call-${++callCount}` } = {},
): ScriptedCall {
  return { type: "call", id, name, argumentsText: JSON.stringify(args) };
}

/** A tool call whose argument text is given as it is. */
export function rawCall(name: string, argumentsText: string): ScriptedCall {
  return { ...call(name), argumentsText };
}

/** An answer: text, unless it is empty, then any tool calls. */
export function say(text: string, ...calls: ScriptedCall[]): Answer {
  return {
    blocks: [
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ...calls,
    ],
    end: {
      type: "done",
      reason: calls.length > 0 ? "toolUse" : "stop",
      usage: emptyUsage(),
    },
  };
}

/** The answer with a thought before it. */
export function thinking(text: string, answer: Answer): Answer {
  return { ...answer, blocks: [{ type: "thinking", text }, ...answer.blocks] };
}

/** The answer with another stop reason, such as `length`. */
export function endingAs(
  reason: "stop" | "length" | "toolUse",
  answer: Answer,
): Answer {
  return { ...answer, end: { type: "done", reason, usage: emptyUsage() } };
}

/** The answer as far as it got before the provider failed. */
export function failing(
  errorMessage: string,
  answer: Answer = say(""),
): Answer {
  return { ...answer, end: { type: "error", reason: "error", errorMessage } };
}

/** The answer, which stops after its first block until `gate` resolves. */
export function waiting(gate: Promise<unknown>, answer: Answer): Answer {
  return { ...answer, gate };
}

/**
 * A model that answers from a script, one answer a request, in several deltas.
 *
 * It stands in for a provider and is as strict as one; see
 * {@linkcode assertSendable}. It hears the signal between two deltas.
 */
export function scriptedModel(...script: Answer[]): ScriptedModel {
  const left = [...script];
  return modelOf(() => left.shift(), () => left.length);
}

/** A model that fails each request before it says anything. */
export function failModel(
  errorMessage: string,
  error: { errorKind?: ModelErrorKind; retryAfterMs?: number } = {},
): ScriptedModel {
  const answer = failing(errorMessage);
  return modelOf(() => ({ ...answer, end: { ...answer.end, ...error } }));
}

function modelOf(
  next: () => Answer | undefined,
  countLeft = () => 0,
): ScriptedModel {
  const sent: string[] = [];
  const faults: unknown[] = [];
  const contexts: Context[] = [];
  const requests: ScriptedModel["requests"] = [];

  function answerTo(context: Context): Answer {
    try {
      assertSendable(context);
      const answer = next();
      assert(answer, "the script has no answer left for this request");
      return answer;
    } catch (fault) {
      faults.push(fault);
      return failing(`The scripted model refuses: ${fault}`);
    }
  }

  const streamFn: StreamFn = (model, context, options = {}) => {
    contexts.push(context);
    sent.push(JSON.stringify(context));
    requests.push({ model, options });
    return assembleMessage(model, deltas(answerTo(context), options.signal));
  };
  return Object.assign(streamFn, {
    contexts,
    requests,
    assertPlayed({ endedEarly = false } = {}) {
      for (const fault of faults) throw fault;
      assert.deepEqual(
        contexts.map((context) => JSON.stringify(context)),
        sent,
        "a context was changed after it was sent",
      );
      if (!endedEarly) assert.equal(countLeft(), 0, "answers are left");
    },
  });
}

/**
 * Fails unless a provider would take the context: each tool call has exactly
 * one result, right after its message and in the order of the calls; each
 * result has a call; ids are unique; no text is empty. Messages that ended as
 * `error` or `aborted` do not count, since wire formats leave them out.
 */
export function assertSendable({ messages, tools = [] }: Context): void {
  const names = tools.map(({ name }) => name);
  assert.deepEqual([...new Set(names)], names, "two tools have one name");
  assert(messages.length > 0, "there is no message to answer");

  const ids = new Set<string>();
  let open: string[] = [];
  for (const message of messages.filter((message) => !isBroken(message))) {
    assertNoEmptyText(message);
    if (message.role === "toolResult") {
      assert.equal(message.toolCallId, open.shift(), "a result has no call");
      continue;
    }
    assert.deepEqual(open, [], "calls have no result");
    if (message.role !== "assistant") continue;
    open = callsOf(message).map(({ id }) => id);
    for (const id of open) {
      assert(!ids.has(id), `two calls have the id "${id}"`);
      ids.add(id);
    }
  }
  assert.deepEqual(open, [], "calls have no result");
}

/** The tool calls of a message. */
export function callsOf({ content }: AssistantMessage): ToolCall[] {
  return content.filter((block) => block.type === "toolCall");
}

function isBroken(message: Message): boolean {
  return message.role === "assistant" &&
    (message.stopReason === "error" || message.stopReason === "aborted");
}

function assertNoEmptyText({ role, content }: Message): void {
  const texts = typeof content === "string"
    ? [content]
    : content.map((block) => block.type === "text" ? block.text : "-");
  assert(texts.every((text) => text !== ""), `a ${role} text is empty`);
}

async function* deltas(
  { blocks, end, gate }: Answer,
  signal?: AbortSignal,
): AsyncIterable<AssistantDelta[]> {
  // A failure without an answer comes without a start too.
  if (blocks.length > 0 || end.type === "done") yield [{ type: "start" }];
  for (const [contentIndex, block] of blocks.entries()) {
    for (const batch of blockDeltas(block, contentIndex)) {
      await aTurnOfTheReader();
      if (signal?.aborted) return yield [abortedEnd(signal)];
      yield batch;
    }
    if (contentIndex === 0 && gate) await resolvedOrAborted(gate, signal);
  }
  await aTurnOfTheReader();
  yield [signal?.aborted ? abortedEnd(signal) : end];
}

function blockDeltas(block: Block, contentIndex: number): AssistantDelta[][] {
  if (block.type === "call") {
    const { id, name: toolName, argumentsText } = block;
    const [head, tail] = halves(argumentsText);
    return [
      [{ type: "toolcall_start", contentIndex, id, toolName }],
      [{ type: "toolcall_delta", contentIndex, delta: head }],
      [
        { type: "toolcall_delta", contentIndex, delta: tail },
        { type: "toolcall_end", contentIndex },
      ],
    ];
  }
  const { type } = block;
  const [head, tail] = halves(block.text);
  return [
    [{ type: `${type}_start`, contentIndex }],
    [{ type: `${type}_delta`, contentIndex, delta: head }],
    [
      { type: `${type}_delta`, contentIndex, delta: tail },
      { type: `${type}_end`, contentIndex },
    ],
  ];
}

function halves(text: string): [string, string] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

function abortedEnd({ reason }: AbortSignal): End {
  return { type: "error", reason: "aborted", errorMessage: String(reason) };
}

/** A network is slower than its reader; without this the answer would be over before its first event is heard. */
async function aTurnOfTheReader(): Promise<void> {
  for (let tick = 0; tick < 16; tick++) await undefined;
}

async function resolvedOrAborted(
  gate: Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal?.aborted) return;
  const onAbort = () => resolve();
  signal?.addEventListener("abort", onAbort, { once: true });
  await Promise.race([gate, promise]);
  signal?.removeEventListener("abort", onAbort);
}
