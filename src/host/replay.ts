import type { JsonObject } from "../model/content.ts";
import { stableJson } from "../model/stable_json.ts";
import type { AssistantDelta, DeltaSource } from "../model/stream.ts";
import {
  type CanonicalRequest,
  canonicalRequest,
  hashOfRequest,
  mapStrings,
} from "./recording/canonical_request.ts";
import { type NeutralText, SECRET_MARK } from "./recording/neutral_text.ts";
import type { RunEvent } from "../protocol/event_schemas.ts";
import { equalButSecrets } from "./equal_but_secrets.ts";
import { mapAnswer, streamedAgain } from "./recorded_answer.ts";
import { CHECK_ID, RecordedCalls } from "./recorded_calls.ts";
import type {
  Exchange,
  RecordedCall,
  RecordedResult,
  Recording,
} from "./recording.ts";

/** Milliseconds before a failed request is made again: nobody needs time to recover. */
const RETRY_AFTER_MS = 1;

/**
 * Answers from a recording: a request by its hash, a call by its name and
 * arguments. What was asked several times is answered in the order in which it
 * was recorded.
 */
export class Replay {
  readonly #recording: Recording;
  readonly #neutral: () => NeutralText;
  readonly #exchanges = new Map<string, Exchange[]>();
  /** Those of the exchanges whose requests have marks of secrets. */
  readonly #withSecrets: Exchange[][];
  readonly #results = new Map<string, RecordedResult[]>();
  readonly #calls = new RecordedCalls();
  #requests = 0;

  /** `neutral` makes a fresh one for each request. */
  constructor(recording: Recording, neutral: () => NeutralText) {
    this.#recording = recording;
    this.#neutral = neutral;
    for (const exchange of recording.exchanges) {
      put(this.#exchanges, exchange.hash, exchange);
    }
    this.#withSecrets = [...this.#exchanges.values()].filter(([first]) =>
      first && hasMark(first.request)
    );
    for (const { call, result } of recording.results) {
      put(this.#results, stableJson(call), result);
    }
  }

  /** Answers from the recording; a request that is not in it gets an error of kind `replay_miss`, with the difference to the nearest one. */
  source(): DeltaSource {
    return (...asked) => this.#answer(asked);
  }

  async *#answer(
    [, context, options]: Parameters<DeltaSource>,
  ): AsyncGenerator<AssistantDelta[]> {
    const { name, exchanges, compares } = this.#recording;
    const neutral = this.#neutral();
    const request = await canonicalRequest(
      { context, options },
      neutral,
      compares,
    );
    const place = ++this.#requests;
    const found = this.#exchanges.get(await hashOfRequest(request)) ??
      this.#knownButForSecrets(request);
    const exchange = found?.shift();
    if (exchange) {
      const answer = mapAnswer(
        exchange.answer,
        (text) => neutral.restored(text),
      );
      yield* streamedAgain(answer.map(withoutWait));
      return;
    }
    const { describeMiss } = await import("./replay_miss.ts");
    const why = found
      ? `"${name}" has no further answer to request ${place}: the same was asked before, more often than it was recorded`
      : await describeMiss(request, { place, name, exchanges });
    yield [miss(why)];
  }

  #knownButForSecrets(request: CanonicalRequest): Exchange[] | undefined {
    return this.#withSecrets.find((exchanges) =>
      exchanges[0] && equalButSecrets(exchanges[0].request, request)
    );
  }

  /** Hears every event of the run. */
  note(event: RunEvent): void {
    this.#calls.note(event);
  }

  /** The recorded result of a call that has started; a text that says why there is none. */
  resultOf(callId: string): JsonObject | string {
    const call = this.#calls.open(callId);
    if (!call) return "Replay miss: a result was asked for without a call";
    const neutral = this.#neutral();
    const key = stableJson(
      mapStrings(call, (text) => neutral.canonical(text)),
    );
    const found = this.#results.get(key);
    const result = found?.shift();
    if (result) {
      return mapStrings(
        result,
        (text) => neutral.restored(text),
      ) as JsonObject;
    }
    const { name } = this.#recording;
    return `Replay miss: "${name}" has no ${found ? "further " : ""}result of ${
      described(call)
    }`;
  }
}

function hasMark({ settings, messages }: CanonicalRequest): boolean {
  return [settings, ...messages].some((json) => json.includes(SECRET_MARK));
}

/** The call of a message for the user. */
function described({ name, arguments: args }: RecordedCall): string {
  const json = JSON.stringify(args);
  const shown = json.length > 300 ? `${json.slice(0, 300)}…` : json;
  return name === CHECK_ID
    ? `the check ${(args as JsonObject).command}`
    : `the call ${name} ${shown}`;
}

function withoutWait(delta: AssistantDelta): AssistantDelta {
  return delta.type === "error"
    ? { ...delta, retryAfterMs: RETRY_AFTER_MS }
    : delta;
}

function miss(why: string): AssistantDelta {
  return {
    type: "error",
    reason: "error",
    errorKind: "replay_miss",
    errorMessage: `Replay miss: ${why}`,
  };
}

function put<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}
