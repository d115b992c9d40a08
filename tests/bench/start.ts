import { leastOf, runModule, runTau } from "./child.ts";
import { encodeBody, serveBodies, textAnswer } from "./completions_server.ts";

const RUNS = 25;

/** From the start of the process to the arrival of its first model request, and from there, answered at once, to its end; beside the whole life of an empty program. */
export async function measureStart(
  main: URL,
): Promise<{ tauMs: number; exitMs: number; emptyMs: number }> {
  const body = encodeBody(textAnswer("ok"));
  const server = serveBodies(() => body);
  const empty = await Deno.makeTempFile({ suffix: ".js" });
  const emptyUrl = new URL(`file://${empty}`);
  try {
    await runTau(main, server);
    let emptyMs = Infinity;
    let exitMs = Infinity;
    const tauMs = await leastOf(RUNS, async () => {
      emptyMs = Math.min(emptyMs, (await runModule(emptyUrl)).wallMs);
      server.arrivalsMs.length = 0;
      const { startMs, wallMs } = await runTau(main, server);
      const arrivalMs = server.arrivalsMs[0] ?? NaN;
      exitMs = Math.min(exitMs, startMs + wallMs - arrivalMs);
      return arrivalMs - startMs;
    });
    return { tauMs, exitMs, emptyMs };
  } finally {
    server.close();
    await Deno.remove(empty);
  }
}
