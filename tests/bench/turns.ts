import { leastOf, runTau } from "./child.ts";
import {
  callAnswer,
  encodeBody,
  serveBodies,
  textAnswer,
} from "./completions_server.ts";

const TURNS = 50;

/** Milliseconds from one model request to the next, each answered by one `read`. */
export async function measureTurns(main: URL): Promise<{ perTurnMs: number }> {
  const cwd = await Deno.makeTempDir();
  await Deno.writeTextFile(`${cwd}/note.txt`, "alpha\n".repeat(20));
  const bodies = Array.from(
    { length: TURNS },
    (_, i) => encodeBody(callAnswer(`call_${i}`, "read", { path: "note.txt" })),
  );
  const last = encodeBody(textAnswer("done"));
  const server = serveBodies((n) => bodies[n] ?? last);
  try {
    const perTurnMs = await leastOf(5, async () => {
      server.arrivalsMs.length = 0;
      await runTau(main, { ...server, cwd });
      const { arrivalsMs } = server;
      return ((arrivalsMs[TURNS] ?? NaN) - (arrivalsMs[0] ?? NaN)) / TURNS;
    });
    return { perTurnMs };
  } finally {
    server.close();
    await Deno.remove(cwd, { recursive: true });
  }
}
