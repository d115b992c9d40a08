import type { JsonSchema } from "../model/tool.ts";
import {
  type CheckEvent,
  type CheckRunner,
  createCheckGoal,
} from "./check_goal.ts";
import { Goals } from "./goals.ts";
import { createSchemaGoal } from "./schema_goal.ts";

/** What a run has to reach beside an answer. */
export interface GoalOptions {
  /** A command that must succeed; the model hears of a failure `retries` times. */
  check?: { command: string; retries: number; run: CheckRunner };
  /** The final text must be JSON that fits it. */
  outputSchema?: JsonSchema;
}

/** The goals of one run. The check comes first: to mend what it finds changes the answer. */
export function createGoals(
  { check, outputSchema }: GoalOptions,
  emit: (event: CheckEvent) => void | Promise<void>,
): Goals {
  return new Goals([
    ...(check ? [createCheckGoal({ ...check, emit })] : []),
    ...(outputSchema ? [createSchemaGoal(outputSchema)] : []),
  ]);
}
