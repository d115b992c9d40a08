import type { JsonSchema } from "../model/tool.ts";
import {
  type CheckEvent,
  type CheckRunner,
  createCheckGoal,
} from "./check_goal.ts";
import { Goals } from "./goals.ts";
import { createSchemaGoal } from "./schema_goal.ts";

/** Goals of a run beside an answer, as data. */
export interface GoalSetup {
  /** A command that must succeed; the model is told of a failure `retries` times. */
  check?: { command: string; retries: number } | undefined;
  /** The final text must be JSON that fits it. */
  answerSchema?: JsonSchema | undefined;
}

/** The same with what runs the check. */
export interface GoalOptions extends GoalSetup {
  check?: { command: string; retries: number; run: CheckRunner } | undefined;
}

/** The goals of a session whose checks `run` runs. */
export function goalOptions(
  { check, ...others }: GoalSetup,
  run: CheckRunner,
): GoalOptions {
  return { ...others, check: check && { ...check, run } };
}

/** The goals of one run. The check comes first: to mend what it finds changes the answer. */
export function createGoals(
  { check, answerSchema }: GoalOptions,
  emit: (event: CheckEvent) => void | Promise<void>,
): Goals {
  return new Goals([
    ...(check ? [createCheckGoal({ ...check, emit })] : []),
    ...(answerSchema ? [createSchemaGoal(answerSchema)] : []),
  ]);
}
