import type {
  AssistantMessage,
  Message,
  UserMessage,
} from "../model/message.ts";
import { ContextSize } from "./context_size.ts";
import { summaryMessage } from "./summary_message.ts";
import { summarize } from "./summarize.ts";
import { type Ask, type ModelAsk, UnshownAnswer } from "./unshown_answer.ts";

/** `threshold`: the window is nearly full. `overflow`: the provider refused a request as too long. `manual`: the user wants it. */
export type CompactionReason = "threshold" | "overflow" | "manual";

/** Result of a compaction. */
export interface CompactionResult {
  /** Takes the place of the messages before `firstKept`. */
  summary: string;
  /** The first message that requests still carry. */
  firstKept: Message;
  /** Tokens of a request before. */
  tokensBefore: number;
}

/** Events of a compaction. */
export type CompactionEvent =
  | { type: "compaction_start"; reason: CompactionReason; tokens: number }
  | {
    type: "compaction_end";
    reason: CompactionReason;
    /** Absent when there was none. */
    result?: CompactionResult;
    aborted: boolean;
    /** The reason why there was none. */
    errorMessage?: string;
  };

/** Hears of compactions; awaited. */
export type CompactionEventSink = (
  event: CompactionEvent,
) => void | Promise<void>;

/** Settings for shortening long conversations. */
export interface CompactionOptions {
  /** Default true. Without, a request that is too long ends the run. */
  enabled?: boolean | undefined;
  /** Tokens that stay free for the answer; in a small window half of it. Default 16,384. */
  reserveTokens?: number | undefined;
  /** Tokens of the latest messages that stay as they are; half of what the reserve leaves at most. Default 20,000. */
  keepRecentTokens?: number | undefined;
}

/** Asked before a summary is: it may be cancelled, or be another than the model's. */
export type BeforeCompaction = (compaction: {
  reason: CompactionReason;
  tokens: number;
  messages: Message[];
}) => Promise<{ cancel: boolean; summary: string | undefined }>;

const DEFAULT_RESERVE_TOKENS = 16_384;
const DEFAULT_KEEP_RECENT_TOKENS = 20_000;
/** Growth of a conversation after which a summary that failed is tried again. */
const GROWTH = 1.1;
/** A summary costs about as much, so that less is not worth one. */
const MIN_REMOVED_TOKENS = 256;

/**
 * Keeps the requests of a conversation below the model's window: what came
 * first is replaced by a summary, which the model itself is asked for. The
 * transcript stays whole; requests begin with the summary.
 *
 * A request that the provider refuses as too long is made once more, shorter,
 * and never again as it was. Calls stay together with their results.
 */
export class Compaction {
  readonly #emit: CompactionEventSink;
  readonly #isEnabled: boolean;
  readonly #reserveTokens: number;
  readonly #keepRecentTokens: number;
  readonly #before: BeforeCompaction | undefined;
  #size = new ContextSize();
  #summary: UserMessage | undefined;
  #firstKept = 0;
  /** Tokens of the request for which no summary could be made. */
  #failedTokens = 0;

  constructor(
    emit: CompactionEventSink,
    { enabled, reserveTokens, keepRecentTokens, before }:
      & CompactionOptions
      & { before?: BeforeCompaction } = {},
  ) {
    this.#before = before;
    this.#emit = emit;
    this.#isEnabled = enabled ?? true;
    this.#reserveTokens = reserveTokens ?? DEFAULT_RESERVE_TOKENS;
    this.#keepRecentTokens = keepRecentTokens ?? DEFAULT_KEEP_RECENT_TOKENS;
  }

  /** Tokens of a request as it would be now. */
  get tokens(): number {
    return this.#tokens();
  }

  /** The same way of asking, with shorter requests. */
  shortening(ask: Ask): Ask {
    return async (request) => {
      this.#read(request);
      if (this.#isTooLong(request)) {
        await this.#compact("threshold", request, ask);
      }
      const answer = await ask(this.#projected(request));
      if (answer.failure?.errorKind !== "context_overflow") return answer;
      if (!this.#isEnabled) {
        return withReason(answer.failure, "compaction is off in the settings");
      }
      const problem = await this.#compact("overflow", request, ask);
      if (problem !== undefined) return withReason(answer.failure, problem);
      const shorter = await ask(this.#projected(request));
      return shorter.failure?.errorKind === "context_overflow"
        ? withReason(
          shorter.failure,
          "the conversation is too long even after it was summarised",
        )
        : shorter;
    };
  }

  /** Shortens the requests that follow at once, with what the summary should care about. Throws when they are no shorter. */
  async now(
    request: ModelAsk,
    { ask, instructions }: { ask: Ask; instructions?: string | undefined },
  ): Promise<{ tokensBefore: number }> {
    this.#read(request);
    const tokensBefore = this.#tokens();
    const problem = await this.#compact("manual", request, ask, instructions);
    if (problem !== undefined) {
      throw new Error(`The conversation stays as it is: ${problem}`);
    }
    return { tokensBefore };
  }

  /** A summary that failed is not asked for again with every request. */
  #isTooLong(request: ModelAsk): boolean {
    if (!this.#isEnabled) return false;
    const { window, reserve } = this.#boundsOf(request);
    const tokens = this.#tokens();
    return tokens > window - reserve && tokens > this.#failedTokens * GROWTH;
  }

  #read({ context }: ModelAsk): void {
    if (this.#size.read(context)) return;
    this.#summary = undefined;
    this.#firstKept = 0;
  }

  #tokens(): number {
    return this.#size.total(this.#firstKept, this.#summary);
  }

  #projected(request: ModelAsk): ModelAsk {
    if (!this.#summary) return request;
    const kept = request.context.messages.slice(this.#firstKept);
    const messages = [this.#summary, ...kept];
    return { ...request, context: { ...request.context, messages } };
  }

  /** Resolves to why requests are no shorter than before, or to nothing. */
  async #compact(
    reason: CompactionReason,
    request: ModelAsk,
    ask: Ask,
    instructions?: string,
  ): Promise<string | undefined> {
    const tokens = this.#tokens();
    const { window, reserve } = this.#boundsOf(request);
    const keep = Math.min(
      this.#keepRecentTokens,
      (window - reserve) / 2,
      // The provider's window may be smaller than is known, and who asks for
      // it wants to see it done.
      ...(reason === "threshold" ? [] : [tokens / 3]),
    );
    const { messages } = request.context;
    const cut = this.#cut(messages, keep);
    if (cut === undefined) return "there is nothing to shorten in it";
    const replaced = this.#projected(request).context.messages
      .slice(0, cut - this.#firstKept + (this.#summary ? 1 : 0));
    const decision = await this.#before?.({
      reason,
      tokens,
      messages: replaced,
    });
    if (decision?.cancel) {
      this.#failedTokens = tokens;
      return "a plugin has cancelled it";
    }

    await this.#emit({ type: "compaction_start", reason, tokens });
    const outcome = decision?.summary === undefined
      ? await summarize(replaced, request, {
        ask,
        instructions,
        // Three bytes a token leave room for text that is dense in tokens.
        maxLength: (window - reserve) * 3,
        maxTokens: Math.min(request.model.maxTokens, Math.ceil(reserve / 2)),
      })
      : { text: decision.summary };
    if ("failure" in outcome) {
      this.#failedTokens = tokens;
      const { failure: errorMessage, aborted } = outcome;
      await this.#emit({
        type: "compaction_end",
        reason,
        aborted,
        errorMessage,
      });
      return `no summary could be made: ${errorMessage}`;
    }
    this.#summary = summaryMessage(outcome.text, Date.now());
    this.#firstKept = cut;
    this.#failedTokens = 0;
    this.#size.forgetUsage();
    const result = {
      summary: outcome.text,
      firstKept: messages[cut] as Message,
      tokensBefore: tokens,
    };
    await this.#emit({
      type: "compaction_end",
      reason,
      result,
      aborted: false,
    });
    return undefined;
  }

  /**
   * Finds the first message that is kept: as early as `keep` tokens allow,
   * and at the latest where the last turn begins. Never at a result, whose
   * call would be gone.
   */
  #cut(messages: readonly Message[], keep: number): number | undefined {
    const end = messages.length;
    let cut: number | undefined;
    for (let at = end - 1; at > this.#firstKept; at--) {
      if (messages[at]?.role === "toolResult") continue;
      if (cut !== undefined && this.#size.between(at, end) > keep) break;
      cut = at;
    }
    const isWorthIt = cut !== undefined &&
      this.#size.between(this.#firstKept, cut) >= MIN_REMOVED_TOKENS;
    return isWorthIt ? cut : undefined;
  }

  /** In a small window the answer gets half. */
  #boundsOf(
    { model: { contextWindow: window } }: ModelAsk,
  ): { window: number; reserve: number } {
    const reserve = Math.min(this.#reserveTokens, Math.floor(window / 2));
    return { window, reserve };
  }
}

function withReason(
  failure: AssistantMessage,
  reason: string,
): UnshownAnswer {
  const errorMessage = `${failure.errorMessage}; ${reason}`;
  return UnshownAnswer.failed({ ...failure, errorMessage });
}
