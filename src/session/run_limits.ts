import type { AgentMessage } from "../agent/agent_message.ts";
import type { AgentLoopConfig } from "../agent/loop_config.ts";
import type { Usage } from "../model/message.ts";
import type { Model } from "../model/model.ts";
import { stableJson } from "../model/stable_json.ts";
import type { RunLimitKind } from "./run_outcome.ts";
import type { SessionEvent } from "./session_event.ts";

/** Limits of a run, and the way it ends at one. */
export interface LimitOptions {
  /** Responses of the model; no limit when absent. */
  maxTurns?: number | undefined;
  /** Tool calls; no limit when absent. */
  maxToolCalls?: number | undefined;
  /** Times that the same call may have the same result in a row. Default 8; 0 is no limit. */
  maxRepeats?: number | undefined;
  /** US dollars; no limit when absent. The model must have a price. */
  maxBudgetUsd?: number | undefined;
  /** `summarize` asks the model once more, without tools, for a summary of the work. Default `stop`. */
  onLimit?: "stop" | "summarize" | undefined;
}

/** The limits among other options. */
export function limitsIn(
  { maxTurns, maxToolCalls, maxRepeats, maxBudgetUsd, onLimit }: LimitOptions,
): LimitOptions {
  return { maxTurns, maxToolCalls, maxRepeats, maxBudgetUsd, onLimit };
}

const DEFAULT_MAX_REPEATS = 8;

const CLOSING_REQUEST =
  "This run has reached its limit, so no more tools will be run. Answer now, without tools: say what was done, what was found out and what is left to do.";

/** Counts of a run so far. */
interface Counts {
  turns: number;
  toolCalls: number;
  /** Times in a row that the last call had the same result. */
  repeats: number;
  usd: number;
  /** True when the last response has calls that have still to run. */
  hasOpenCalls: boolean;
}

/** One limit of one run. */
interface Limit {
  kind: RunLimitKind;
  /** Tells the model why its calls are not run. */
  reason: string;
  /** True when the run may not go on: open calls are not run any more. */
  isReached(counts: Counts): boolean;
  /** True when a further request would go beyond the limit. Default false. */
  isUsedUp?(counts: Counts): boolean;
}

/**
 * The limits of one run. The first that is reached ends it: calls that are
 * open are not run, each gets an error result that says why, and there is no
 * further request but the one for a summary, where that is wanted.
 */
export class RunLimits {
  readonly #limits: Limit[];
  readonly #summarizes: boolean;
  readonly #counts: Counts = {
    turns: 0,
    toolCalls: 0,
    repeats: 0,
    usd: 0,
    hasOpenCalls: false,
  };
  /** Calls that have not ended, by id. */
  readonly #open = new Map<string, string>();
  #lastResult = "";
  #reached: Limit | undefined;
  #isClosing = false;

  constructor(options: LimitOptions) {
    this.#summarizes = options.onLimit === "summarize";
    this.#limits = limitsOf(options);
  }

  /** The limit that ended the run. */
  get reached(): RunLimitKind | undefined {
    return this.#reached?.kind;
  }

  /** True when the model is to answer without tools. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Takes in an event of the run; called with each one. */
  note(event: SessionEvent): void {
    const counts = this.#counts;
    if (event.type === "message_end" && event.message.role === "assistant") {
      const { stopReason, content } = event.message;
      // Calls of a broken response are not run and do not count.
      const isBroken = stopReason === "error" || stopReason === "aborted";
      const calls = isBroken
        ? 0
        : content.filter(({ type }) => type === "toolCall").length;
      if (stopReason !== "error") counts.turns++;
      counts.toolCalls += calls;
      counts.hasOpenCalls = calls > 0;
    } else if (event.type === "tool_execution_start") {
      const { toolCallId, toolName, args } = event;
      this.#open.set(toolCallId, stableJson([toolName, args]));
    } else if (event.type === "tool_execution_end") {
      const { toolCallId, isError, result } = event;
      const call = this.#open.get(toolCallId);
      this.#open.delete(toolCallId);
      const seen = JSON.stringify([call, isError, result.content]);
      counts.repeats = seen === this.#lastResult ? counts.repeats + 1 : 1;
      this.#lastResult = seen;
    }
    this.#reached ??= this.#limits.find((limit) => limit.isReached(counts));
  }

  /** Adds the cost of a response, also of one that failed or only summarises. */
  spend(usage: Usage, { cost }: Model): void {
    for (const key of ["input", "output", "cacheRead", "cacheWrite"] as const) {
      // Counted from the tokens: behind a proxy nobody else has the prices.
      this.#counts.usd += usage[key] * (cost?.[key] ?? 0) / 1e6;
    }
  }

  /** True when a further turn would cross a limit. */
  get isUsedUp(): boolean {
    return (this.#reached ?? this.#usedUp()) !== undefined;
  }

  /** True when a run that would end may have a further turn; when a limit is used up the run ends by it. */
  mayGoOn(): boolean {
    this.#reached ??= this.#usedUp();
    return this.#reached === undefined;
  }

  /** Lets messages start a further turn, if there may be one. */
  admit(messages: AgentMessage[]): AgentMessage[] {
    return messages.length === 0 || this.mayGoOn() ? messages : [];
  }

  /** Callbacks of the loop that stop calls and end the run. */
  hooks(): Required<Pick<AgentLoopConfig, "beforeToolCall" | "finishTurn">> {
    return {
      beforeToolCall: () =>
        this.#reached
          ? { block: true, reason: this.#reached.reason }
          : undefined,
      finishTurn: () =>
        this.#reached && !this.#mayClose() ? { action: "end" } : undefined,
    };
  }

  /** The message that has the model close the run, once, when that is wanted. */
  closingMessages(): AgentMessage[] {
    if (!this.#reached || !this.#mayClose()) return [];
    this.#isClosing = true;
    return [{ role: "user", content: CLOSING_REQUEST, timestamp: Date.now() }];
  }

  #mayClose(): boolean {
    return this.#summarizes && !this.#isClosing;
  }

  #usedUp(): Limit | undefined {
    return this.#limits.find((limit) => limit.isUsedUp?.(this.#counts));
  }
}

/** The rows of limits; one that is absent is never reached. */
function limitsOf(
  {
    maxTurns = Infinity,
    maxToolCalls = Infinity,
    maxRepeats = DEFAULT_MAX_REPEATS,
    maxBudgetUsd = Infinity,
  }: LimitOptions,
): Limit[] {
  const turnsUsedUp = ({ turns }: Counts) => turns >= maxTurns;
  // The cost of a response is known only afterwards: a run may spend that much more.
  const budgetUsedUp = ({ usd }: Counts) => usd >= maxBudgetUsd;
  return [
    {
      kind: "turn_limit",
      reason: `Not run: this run has reached its limit of ${
        counted(maxTurns, "turn")
      }`,
      isUsedUp: turnsUsedUp,
      isReached: (counts) => turnsUsedUp(counts) && counts.hasOpenCalls,
    },
    {
      // A further request can still be answered without calls.
      kind: "tool_call_limit",
      reason: `Not run: this run is limited to ${
        counted(maxToolCalls, "tool call")
      }`,
      isReached: ({ toolCalls }) => toolCalls > maxToolCalls,
    },
    {
      kind: "repeat_limit",
      reason:
        `Not run: the same call had the same result ${maxRepeats} times in a row`,
      isReached: ({ repeats }) => maxRepeats > 0 && repeats >= maxRepeats,
    },
    {
      kind: "budget_limit",
      reason: `Not run: this run has spent its budget of ${maxBudgetUsd} USD`,
      isUsedUp: budgetUsedUp,
      isReached: (counts) => budgetUsedUp(counts) && counts.hasOpenCalls,
    },
  ];
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
