import type { AgentEvent } from "../agent/agent_event.ts";
import type { AgentMessage } from "../agent/agent_message.ts";
import { type AssistantMessage, textOf } from "../model/message.ts";
import type { RunOutcome } from "./run_outcome.ts";

/** An answer with which the model ended its turn by itself. */
export interface GoalAnswer {
  text: string;
  /** Tool calls that the run has started so far. */
  toolCalls: number;
}

/** The reason why an answer does not reach a goal. */
export interface GoalMiss {
  /** For the model: what is wrong, and how to go on. */
  request: string;
  /** For people, when the model is not asked again. */
  reason: string;
}

/** Something that a run must reach before it counts as completed. */
export interface Goal {
  /** Names it in the outcome. */
  readonly kind: "check" | "schema";
  /** Times that the model is asked again. */
  readonly retries: number;
  /** Resolves to nothing when the goal is reached. Rejects when the signal aborts. */
  review(
    answer: GoalAnswer,
    signal: AbortSignal | undefined,
  ): Promise<GoalMiss | undefined>;
}

/**
 * The goals of one run, looked at in their order each time the model ends its
 * turn by itself: the first that is missed asks the model again, as often as it
 * may, and then fails the run.
 */
export class Goals {
  readonly #goals: readonly Goal[];
  readonly #asked = new Map<Goal, number>();
  #toolCalls = 0;
  #answer: AssistantMessage | undefined;
  #failure: RunOutcome | undefined;

  constructor(goals: readonly Goal[]) {
    this.#goals = goals;
  }

  /** The outcome of the run when a goal was given up. */
  get failure(): RunOutcome | undefined {
    return this.#failure;
  }

  /** Hears every event of the run. */
  note(event: AgentEvent): void {
    if (event.type === "tool_execution_start") this.#toolCalls++;
    if (event.type !== "message_end") return;
    if (event.message.role === "assistant") this.#answer = event.message;
  }

  /** Messages that start a further turn; none when all goals are reached or one is given up. */
  async followUp(signal?: AbortSignal): Promise<AgentMessage[]> {
    // An answer that was cut off has ended the run for another reason.
    if (!this.#answer || this.#answer.stopReason === "length") return [];
    const answer = {
      text: textOf(this.#answer.content),
      toolCalls: this.#toolCalls,
    };
    for (const goal of this.#goals) {
      const miss = await goal.review(answer, signal);
      if (miss) return this.#ask(goal, miss);
    }
    return [];
  }

  #ask(goal: Goal, { request, reason }: GoalMiss): AgentMessage[] {
    const asked = this.#asked.get(goal) ?? 0;
    if (asked < goal.retries) {
      this.#asked.set(goal, asked + 1);
      return [{ role: "user", content: request, timestamp: Date.now() }];
    }
    this.#failure = { kind: "goal_missed", goal: goal.kind, message: reason };
    return [];
  }
}
