import { readStructuredAnswer } from "../model/structured_answer.ts";
import type { JsonSchema } from "../model/tool.ts";
import type { Goal, GoalAnswer, GoalMiss } from "./goals.ts";

/** Times that the model is asked for another answer. */
const RETRIES = 2;

/** The final text must be JSON that fits the schema. */
export function createSchemaGoal(schema: JsonSchema): Goal {
  return {
    kind: "schema",
    retries: RETRIES,
    review({ text }: GoalAnswer): Promise<GoalMiss | undefined> {
      const { faults } = readStructuredAnswer(text, schema);
      return Promise.resolve(
        faults && {
          request: `Your last message does not fit the output schema:\n${
            faults.map((fault) => `- ${fault}`).join("\n")
          }\n\nAnswer again with the JSON alone.`,
          reason: `The answer does not fit the output schema: ${faults[0]}`,
        },
      );
    },
  };
}
