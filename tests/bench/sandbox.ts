import { runTau } from "./child.ts";
import {
  callAnswer,
  encodeBody,
  serveBodies,
  textAnswer,
} from "./completions_server.ts";

const RUNS = 12;
const COMMANDS = 20;

type Body = ReturnType<typeof encodeBody>;

/** The cost of a run in one mode of the sandbox. */
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
      // The end of a sandbox makes the next start slower or quicker, whatever
      // it is of: only what comes after a run of its own kind counts.
      await costOf(main, mode, bodies);
      const cost = await costOf(main, mode, bodies);
      const { startMs, commandMs } = least[mode];
      least[mode] = {
        startMs: Math.min(startMs, cost.startMs),
        commandMs: Math.min(commandMs, cost.commandMs),
      };
    }
  }
  return least;
}

async function costOf(
  main: URL,
  mode: "auto" | "off",
  bodies: readonly Body[],
): Promise<SandboxCost> {
  const server = serveBodies((request) => bodies[request] as Body);
  try {
    const args = ["--sandbox", mode];
    const { startMs } = await runTau(main, { ...server, args });
    const arrivals = server.arrivalsMs;
    const pauses = arrivals.slice(1).map((ms, n) => ms - (arrivals[n] ?? NaN));
    return {
      startMs: (arrivals[0] ?? NaN) - startMs,
      // The first command is slower: its tool is new.
      commandMs: Math.min(...pauses.slice(1)),
    };
  } finally {
    server.close();
  }
}
