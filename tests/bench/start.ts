import { leastOf, runModule, runTau } from "./child.ts";
import { encodeBody, serveBodies, textAnswer } from "./completions_server.ts";

const RUNS = 25;

/** From the start of the process to the arrival of its first model request, beside the whole life of an empty program. */
export async function measureStart(
  main: URL,
): Promise<{ tauMs: number; emptyMs: number }> {
  const body = encodeBody(textAnswer("ok"));
  const server = serveBodies(() => body);
  const empty = await Deno.makeTempFile({ suffix: ".js" });
  const emptyUrl = new URL(`file://${empty}`);
  try {
    await runTau(main, server);
    let emptyMs = Infinity;
    const tauMs = await leastOf(RUNS, async () => {
      emptyMs = Math.min(emptyMs, (await runModule(emptyUrl)).wallMs);
      server.arrivalsMs.length = 0;
      const { startMs } = await runTau(main, server);
      return (server.arrivalsMs[0] ?? NaN) - startMs;
    });
    return { tauMs, emptyMs };
  } finally {
    server.close();
    await Deno.remove(empty);
  }
}
