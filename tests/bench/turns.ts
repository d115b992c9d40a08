import { leastOf, runTau } from "./child.ts";
import {
  callAnswer,
  encodeBody,
  serveBodies,
  textAnswer,
} from "./completions_server.ts";

const TURNS = 50;

/** Milliseconds from one model request to the next, each answered by one `read`; and the same where no session is stored. */
export async function measureTurns(
  main: URL,
): Promise<{ perTurnMs: number; unstoredMs: number }> {
  const cwd = await Deno.makeTempDir();
  await Deno.writeTextFile(`${cwd}/note.txt`, "alpha\n".repeat(20));
  const bodies = Array.from(
    { length: TURNS },
    (_, i) =>
      // Never the same call twice, which would end the run.
      encodeBody(
        callAnswer(`call_${i}`, "read", { path: "note.txt", limit: i + 1 }),
      ),
  );
  const last = encodeBody(textAnswer("done"));
  const server = serveBodies((n) => bodies[n] ?? last);
  try {
    const measure = async (...args: string[]) => {
      server.arrivalsMs.length = 0;
      await runTau(main, { ...server, cwd, args });
      const { arrivalsMs } = server;
      return ((arrivalsMs[TURNS] ?? NaN) - (arrivalsMs[1] ?? NaN)) /
        (TURNS - 1);
    };
    let unstoredMs = Infinity;
    const perTurnMs = await leastOf(5, async () => {
      unstoredMs = Math.min(unstoredMs, await measure("--no-session"));
      return await measure();
    });
    return { perTurnMs, unstoredMs };
  } finally {
    server.close();
    await Deno.remove(cwd, { recursive: true });
  }
}
