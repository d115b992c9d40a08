import { AgentSession } from "../../src/session/agent_session.ts";
import { longModel } from "../support/long_model.ts";
import { testModel } from "../support/scripted_model.ts";
import { testTool } from "../support/test_tool.ts";
import { leastOf } from "./child.ts";

const WINDOW = 40_000;
const TURNS = [100, 250, 500, 1600];

// A conversation that is summarised again and again: what a turn costs must
// not depend on how many there were before.
await workOf(100);
const perTurnMs = new Map<number, number>();
for (const turns of TURNS) {
  perTurnMs.set(turns, await leastOf(5, () => workOf(turns)) / turns);
}
const at = (turns: number) => perTurnMs.get(turns) ?? NaN;
const shown = TURNS.map((turns) => `${turns}: ${at(turns).toFixed(3)} ms`);
print(`  a turn with summaries         ${shown.join(", ")}`);
print(
  `  per turn, 500 against 250     ${(at(500) / at(250)).toFixed(2)} times`,
);
print(
  `  per turn, 1600 against 100    ${
    (at(1600) / at(100)).toFixed(2)
  } times, 16 if all were looked at each turn`,
);

/** Milliseconds of a run of so many turns, its scripted model included. */
async function workOf(turns: number): Promise<number> {
  const model = longModel({ turns, window: WINDOW, keepsContexts: false });
  const session = new AgentSession({
    model: { ...testModel, contextWindow: WINDOW },
    systemPrompt: { role: "system", content: "rules", timestamp: 1 },
    tools: [testTool("look", () => "x".repeat(2000))],
    streamFn: model.streamFn,
    emit: () => {},
    maxRepeats: 0,
  });
  const startMs = performance.now();
  const outcome = await session.run("The task.");
  const ms = performance.now() - startMs;
  if (outcome.kind !== "completed") throw new Error(JSON.stringify(outcome));
  if (model.faults.length > 0) throw model.faults[0];
  return ms;
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
