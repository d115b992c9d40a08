import { runTau } from "./child.ts";
import {
  callAnswer,
  encodeBody,
  serveBodies,
  textAnswer,
} from "./completions_server.ts";

const RUNS = 12;
const COMMANDS = 20;

/** What a run costs in one mode of the sandbox. */
export interface SandboxCost {
  /** From the start of the process to its first model request. */
  startMs: number;
  /** From one request to the next, with a command of bash between. */
  commandMs: number;
}

/** The least costs of runs that take turns, with the sandbox and without. */
export async function measureSandbox(
  main: URL,
): Promise<Record<"auto" | "off", SandboxCost>> {
  const commands = Array.from(
    { length: COMMANDS },
    (_, n) =>
      encodeBody(callAnswer(`call_${n}`, "bash", { command: `: ${n}` })),
  );
  const bodies = [...commands, encodeBody(textAnswer("ok"))];
  const least = {
    auto: { startMs: Infinity, commandMs: Infinity },
    off: { startMs: Infinity, commandMs: Infinity },
  };
  for (let i = 0; i < RUNS; i++) {
    for (const mode of ["auto", "off"] as const) {
      const server = serveBodies((request) =>
        bodies[request] as (typeof bodies)[0]
      );
      try {
        const args = ["--sandbox", mode];
        const { startMs } = await runTau(main, { ...server, args });
        const cost = least[mode];
        const arrivals = server.arrivalsMs;
        cost.startMs = Math.min(cost.startMs, (arrivals[0] ?? NaN) - startMs);
        for (let n = 2; n <= COMMANDS; n++) {
          const ms = (arrivals[n] ?? NaN) - (arrivals[n - 1] ?? NaN);
          cost.commandMs = Math.min(cost.commandMs, ms);
        }
      } finally {
        server.close();
      }
    }
  }
  return least;
}
