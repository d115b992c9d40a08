import type { Goal, GoalAnswer, GoalMiss } from "./goals.ts";

/** Result of a check. */
export interface CheckResult {
  passed: boolean;
  /** For the model: the end of what the command printed, and how it ended. */
  output: string;
}

/** Runs the command of a check. Rejects when the signal aborts. */
export type CheckRunner = (
  command: string,
  signal: AbortSignal | undefined,
) => Promise<CheckResult>;

/** A check runs while the model waits. */
export type CheckEvent =
  | { type: "check_start"; command: string }
  | {
    type: "check_end";
    command: string;
    passed: boolean;
    /** The end of what the command printed, and how it ended. */
    output: string;
  };

/** Parts of a check. */
export interface CheckGoalOptions {
  command: string;
  retries: number;
  run: CheckRunner;
  emit(event: CheckEvent): void | Promise<void>;
}

/** The command must succeed. It runs again only when tools have run since it passed. */
export function createCheckGoal(
  { command, retries, run, emit }: CheckGoalOptions,
): Goal {
  let passedAfter = -1;
  return {
    kind: "check",
    retries,
    async review(
      { toolCalls }: GoalAnswer,
      signal: AbortSignal | undefined,
    ): Promise<GoalMiss | undefined> {
      if (passedAfter === toolCalls) return undefined;
      await emit({ type: "check_start", command });
      const { passed, output } = await run(command, signal);
      await emit({ type: "check_end", command, passed, output });
      if (passed) {
        passedAfter = toolCalls;
        return undefined;
      }
      return {
        request:
          `This check has to pass before the task is done, and it fails:\n$ ${command}\n${output}\n\nFind out why, mend it, and end your turn; the check then runs again.`,
        reason: `The check fails: ${firstLine(command)}: ${lastLine(output)}`,
      };
    },
  };
}

const MAX_LINE = 200;

function firstLine(text: string): string {
  return cut(text.trim().split("\n", 1)[0] ?? "");
}

/** It says how the command ended. */
function lastLine(text: string): string {
  return cut(text.trim().split("\n").at(-1) ?? "");
}

function cut(line: string): string {
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
}
