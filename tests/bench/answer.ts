import { leastOf, runModule, runTau } from "./child.ts";
import { encodeBody, serveBodies, textAnswer } from "./completions_server.ts";

const BYTES = 2_000_000;
const DELTA_BYTES = 20;

/** The wall time of a run whose answer is 2 MB in 20-byte deltas, beside a program that only reads it. */
export async function measureAnswer(
  main: URL,
  format: "text" | "stream-json",
): Promise<{ tauMs: number; bareMs: number }> {
  const delta = "twenty bytes of text".slice(0, DELTA_BYTES);
  const deltas = Array.from({ length: BYTES / DELTA_BYTES }, () => delta);
  const body = encodeBody(textAnswer(...deltas));
  const server = serveBodies(() => body);
  const reader = new URL("bare_reader.js", import.meta.url);
  try {
    let bareMs = Infinity;
    const tauMs = await leastOf(5, async () => {
      const bare = await runModule(reader, { args: [server.baseUrl] });
      bareMs = Math.min(bareMs, bare.wallMs);
      const args = ["--output-format", format];
      return (await runTau(main, { ...server, args })).wallMs;
    });
    return { tauMs, bareMs };
  } finally {
    server.close();
  }
}
