import type { JsonObject } from "../model/content.ts";
import type { Model } from "../model/model.ts";
import { stableJson } from "../model/stable_json.ts";
import type { AssistantDelta } from "../model/stream.ts";
import {
  type CanonicalRequest,
  type CanonicalScope,
  hashOfRequest,
} from "./recording/canonical_request.ts";
import type { RunEvent } from "../protocol/event_schemas.ts";
import { UsageError } from "../settings/usage_error.ts";
import { type ChosenModel, THINKING_LEVELS } from "./choose_model.ts";

/** The version of the format, of canonical requests included. */
export const RECORDING_VERSION = 2;
/** Bytes of a recording. */
export const MAX_RECORDING_BYTES = 64 * 1024 * 1024;
/** Characters of all requests together, each with what it keeps of the one before. */
const MAX_REQUEST_LENGTH = 1024 * 1024 * 1024;

/** A model as it is recorded; without its address. */
export type RecordedModel = Omit<Model, "baseUrl" | "headers">;

/** The first line of a recording. */
export interface RecordingHeader {
  type: "recording";
  version: typeof RECORDING_VERSION;
  model: RecordedModel;
  thinkingLevel?: ChosenModel["thinkingLevel"];
  /** Parts of requests that are compared. Default `everything`. */
  compares?: CanonicalScope;
}

/** A request and the answer to it, as a line holds them. */
export interface ExchangeLine {
  type: "exchange";
  /** Hash of the whole canonical request; a recording that was written by hand needs none. */
  hash?: string;
  /** Number of messages that are those of the exchange before. Default: all of them. */
  keeps?: number;
  /** Default: those of the exchange before. */
  settings?: JsonObject;
  /** Messages that follow those that are kept. */
  messages: JsonObject[];
  answer: AssistantDelta[];
}

/** A call and its result, as a line holds them. */
export interface ResultLine {
  type: "result";
  call: RecordedCall;
  result: RecordedResult;
}

/** A tool call, or a check, without its id. */
export interface RecordedCall {
  name: string;
  arguments: JsonObject;
}

/** Result of a tool. */
export type RecordedResult = Extract<
  RunEvent,
  { type: "tool_execution_end" }
>["result"];

/** A request and the answer to it. */
export interface Exchange {
  /** The number of its line. */
  line: number;
  hash: string;
  request: CanonicalRequest;
  answer: readonly AssistantDelta[];
}

/** A recorded run. */
export interface Recording {
  /** For messages. */
  name: string;
  model: Model;
  thinkingLevel?: ChosenModel["thinkingLevel"];
  compares: CanonicalScope;
  exchanges: readonly Exchange[];
  results: readonly ResultLine[];
  /** True when its last line is not whole: the run that wrote it was killed. */
  isCut: boolean;
}

const UNKNOWN_MODEL: Model = {
  id: "recorded",
  name: "A recording",
  api: "openai-completions",
  provider: "replay",
  baseUrl: "",
  input: ["text", "image"],
  reasoning: false,
  contextWindow: 1_000_000,
  maxTokens: 100_000,
};

/**
 * Reads a recording: JSON lines, a header first. Throws
 * {@linkcode UsageError} with the name of the file and the line. A last line
 * that has no end may be half.
 */
export async function parseRecording(
  text: string,
  name: string,
): Promise<Recording> {
  const lines = text.replace(/^\ufeff/, "").split("\n");
  const exchanges: Exchange[] = [];
  const results: ResultLine[] = [];
  let header: RecordingHeader | undefined;
  let isCut = false;
  let length = 0;
  let last: CanonicalRequest = { settings: "{}", messages: [] };
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const fail = (reason: string): never => {
      throw new UsageError(
        `Cannot replay "${name}": line ${index + 1}: ${reason}`,
      );
    };
    const value = parseLine(line);
    if (!value && header && index === lines.length - 1) {
      isCut = true;
    } else if (!value) {
      fail("not a JSON object");
    } else if (!header) {
      header = parseHeader(value, fail);
    } else if (isResult(value)) {
      results.push(value);
    } else if (isExchange(value)) {
      last = wholeRequest(value, last) ??
        fail("it keeps more messages than there are");
      length += lengthOf(last);
      if (length > MAX_REQUEST_LENGTH) fail("the requests are too long");
      const hash = await hashOfRequest(last);
      if (value.hash !== undefined && value.hash !== hash) {
        fail(
          'its hash is not that of its request; without "hash" a changed line is taken as it is',
        );
      }
      const { answer } = value;
      exchanges.push({ line: index + 1, hash, request: last, answer });
    } else {
      fail("neither an exchange nor a result");
    }
  }
  if (!header) throw new UsageError(`Cannot replay "${name}": it is empty`);
  const { model, thinkingLevel, compares = "everything" } = header;
  return {
    name,
    model: { ...UNKNOWN_MODEL, ...model },
    ...(thinkingLevel ? { thinkingLevel } : {}),
    compares,
    exchanges,
    results,
    isCut,
  };
}

/** Counts the messages with which two requests begin alike. */
export function commonMessages(
  { messages: a }: CanonicalRequest,
  { messages: b }: CanonicalRequest,
): number {
  const different = a.findIndex((message, index) => message !== b[index]);
  return different === -1 ? a.length : different;
}

function parseHeader(
  value: Record<string, unknown>,
  fail: (reason: string) => never,
): RecordingHeader {
  const { type, version, model, thinkingLevel, compares } = value;
  if (type !== "recording") fail("a recording begins with a header");
  if (version !== RECORDING_VERSION) {
    fail(
      `version ${
        JSON.stringify(version)
      } of recordings is not ${RECORDING_VERSION}, which this tau replays; record it again`,
    );
  }
  const isKnown = isFields(model) && isModel(model) &&
    thinkingLevel !== "off" && isTextOrNothing(thinkingLevel) &&
    (thinkingLevel === undefined || THINKING_LEVELS.has(thinkingLevel)) &&
    [undefined, "everything", "prompts"].includes(compares as undefined);
  if (!isKnown) fail("not the header of a recording");
  return value as unknown as RecordingHeader;
}

function isModel(model: Record<string, unknown>): boolean {
  const { id, provider, name, api, input = [], reasoning, cost } = model;
  return typeof id === "string" && typeof provider === "string" &&
    isTextOrNothing(name) && isTextOrNothing(api) && Array.isArray(input) &&
    input.every((kind) => kind === "text" || kind === "image") &&
    (reasoning === undefined || typeof reasoning === "boolean") &&
    isCountOrNothing(model.contextWindow) &&
    isCountOrNothing(model.maxTokens) &&
    (cost === undefined ||
      isFields(cost) && Object.values(cost).every(Number.isFinite));
}

/** A request with what it keeps of the one before. */
function wholeRequest(
  { settings, keeps, messages }: ExchangeLine,
  last: CanonicalRequest,
): CanonicalRequest | undefined {
  if (keeps !== undefined && keeps > last.messages.length) return undefined;
  return {
    settings: settings ? stableJson(settings) : last.settings,
    messages: [
      ...last.messages.slice(0, keeps),
      ...messages.map((message) => stableJson(message)),
    ],
  };
}

function lengthOf({ settings, messages }: CanonicalRequest): number {
  return messages.reduce((sum, { length }) => sum + length, settings.length);
}

function parseLine(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isResult(value: object): value is ResultLine {
  const { type, call, result } = value as Record<string, unknown>;
  return type === "result" && isFields(call) &&
    typeof call.name === "string" && isFields(call.arguments) &&
    isFields(result) && Array.isArray(result.content) &&
    result.content.every(isFields);
}

function isExchange(value: object): value is ExchangeLine {
  const { type, hash, keeps, settings, messages, answer } = value as Record<
    string,
    unknown
  >;
  return type === "exchange" && isTextOrNothing(hash) &&
    isCountOrNothing(keeps) &&
    (settings === undefined || isFields(settings)) &&
    Array.isArray(messages) && messages.every(isFields) &&
    Array.isArray(answer) && answer.every(isDelta) &&
    isEnd(answer.at(-1)) && !answer.slice(0, -1).some(isEnd);
}

function isEnd(delta: AssistantDelta | undefined): boolean {
  return delta?.type === "done" || delta?.type === "error";
}

function isDelta(value: unknown): value is AssistantDelta {
  if (!isFields(value)) return false;
  const { usage } = value;
  switch (value.type as AssistantDelta["type"]) {
    case "start":
      return true;
    case "done":
      return ["stop", "length", "toolUse"].includes(String(value.reason)) &&
        isUsage(usage);
    case "error":
      return value.reason === "error" &&
        typeof value.errorMessage === "string" &&
        (usage === undefined || isUsage(usage));
    case "text_delta":
    case "thinking_delta":
    case "toolcall_delta":
      return isCount(value.contentIndex) && typeof value.delta === "string";
    case "toolcall_start":
      return isCount(value.contentIndex) && typeof value.id === "string" &&
        typeof value.toolName === "string";
    case "text_start":
    case "text_end":
    case "thinking_start":
    case "thinking_end":
    case "toolcall_end":
      return isCount(value.contentIndex);
  }
  return false;
}

function isUsage(value: unknown): boolean {
  if (!isFields(value) || !isFields(value.cost)) return false;
  const { input, output, cacheRead, cacheWrite, totalTokens, cost } = value;
  return [input, output, cacheRead, cacheWrite, totalTokens]
    .every(Number.isFinite) && Object.values(cost).every(Number.isFinite);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isCountOrNothing(value: unknown): boolean {
  return value === undefined || isCount(value);
}

function isTextOrNothing(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
