import type { AgentMessage } from "../agent/agent_message.ts";
import type { AgentLoopConfig } from "../agent/loop_config.ts";
import type { Usage } from "../model/message.ts";
import type { Model } from "../model/model.ts";
import { BudgetLimit } from "./budget_limit.ts";
import { RepeatLimit } from "./repeat_limit.ts";
import type { LimitOptions, RunLimit, RunLimitKind } from "./run_limit.ts";
import type { SessionEvent } from "./session_event.ts";
import { ToolCallLimit } from "./tool_call_limit.ts";
import { TurnLimit } from "./turn_limit.ts";

const DEFAULT_MAX_REPEATS = 8;

const CLOSING_REQUEST =
  "This run has reached its limit, so no more tools will be run. Answer now, without tools: say what was done, what was found out and what is left to do.";

/**
 * The limits of one run. The first that is reached ends it: calls that are
 * open are not run, each gets an error result that says why, and there is no
 * further request but the one for a summary, where that is wanted.
 */
export class RunLimits {
  readonly #limits: RunLimit[] = [];
  readonly #budget: BudgetLimit | undefined;
  readonly #summarizes: boolean;
  #reached: RunLimit | undefined;
  #isClosing = false;

  constructor(options: LimitOptions) {
    const { maxTurns, maxToolCalls, maxBudgetUsd, onLimit } = options;
    const { maxRepeats = DEFAULT_MAX_REPEATS } = options;
    this.#summarizes = onLimit === "summarize";
    if (maxTurns !== undefined) this.#limits.push(new TurnLimit(maxTurns));
    if (maxToolCalls !== undefined) {
      this.#limits.push(new ToolCallLimit(maxToolCalls));
    }
    if (maxRepeats > 0) this.#limits.push(new RepeatLimit(maxRepeats));
    if (maxBudgetUsd !== undefined) {
      this.#budget = new BudgetLimit(maxBudgetUsd);
      this.#limits.push(this.#budget);
    }
  }

  /** The limit that ended the run. */
  get reached(): RunLimitKind | undefined {
    return this.#reached?.kind;
  }

  /** True when the model is to answer without tools. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Hears every event of the run. */
  note(event: SessionEvent): void {
    for (const limit of this.#limits) limit.note(event);
    this.#reached ??= this.#limits.find(({ isReached }) => isReached);
  }

  /** Counts what a response cost, whatever it was for. */
  spend(usage: Usage, model: Model): void {
    this.#budget?.spend(usage, model);
  }

  /** True when a further turn would cross a limit. */
  get isUsedUp(): boolean {
    return this.#reached !== undefined ||
      this.#limits.some(({ isUsedUp }) => isUsedUp);
  }

  /** Whether there may be a further turn after one that would end the run; when a limit is used up the run ends by it. */
  mayGoOn(): boolean {
    this.#reached ??= this.#limits.find(({ isUsedUp }) => isUsedUp);
    return this.#reached === undefined;
  }

  /** Lets messages start a further turn, if there may be one. */
  admit(messages: AgentMessage[]): AgentMessage[] {
    return messages.length === 0 || this.mayGoOn() ? messages : [];
  }

  /** What the loop asks of the limits. */
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

  /** What has the model close the run, once, when that is wanted. */
  closingMessages(): AgentMessage[] {
    if (!this.#reached || !this.#mayClose()) return [];
    this.#isClosing = true;
    return [{ role: "user", content: CLOSING_REQUEST, timestamp: Date.now() }];
  }

  #mayClose(): boolean {
    return this.#summarizes && !this.#isClosing;
  }
}
