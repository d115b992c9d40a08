import { leastOf, runTau } from "./child.ts";
import {
  callAnswer,
  encodeBody,
  serveBodies,
  textAnswer,
} from "./completions_server.ts";

const RUNS = 8;
const TURNS = 50;
const PLUGINS = 10;

/** Ten plugins, each with a tool and handlers, of which one is called. */
function pluginText(n: number): string {
  return `export default function (tau) {
  tau.registerTool({
    name: "tool_${n}",
    description: "Counts",
    parameters: tau.Type.Object({ n: tau.Type.Number() }),
    execute: (_id, { n }) => Promise.resolve({ content: [{ type: "text", text: String(n) }] }),
  });
  tau.registerCommand("command_${n}", { handler() {} });
  tau.on("session_start", () => {});
}
`;
}

/** Milliseconds that ten plugins add to the start, and that a call of a plugin's tool takes longer than one of `ls`. */
export async function measurePlugins(
  main: URL,
): Promise<{ startMs: number; callMs: number }> {
  const cwd = await Deno.makeTempDir();
  const folder = await Deno.makeTempDir();
  const names = Array.from({ length: PLUGINS }, (_, n) => `${folder}/p${n}.ts`);
  for (const [n, path] of names.entries()) {
    await Deno.writeTextFile(path, pluginText(n));
  }
  const plugins = names.flatMap((path) => ["--plugin", path]);
  const last = encodeBody(textAnswer("done"));
  let bodies = [last];
  const server = serveBodies((n) => bodies[n] ?? last);
  const start = async (args: string[]) => {
    bodies = [last];
    server.arrivalsMs.length = 0;
    const { startMs } = await runTau(main, { ...server, cwd, args });
    return (server.arrivalsMs[0] ?? NaN) - startMs;
  };
  const turn = async (tool: string, argument: string) => {
    bodies = Array.from({ length: TURNS }, (_, i) =>
      // Never the same call twice, which would end the run.
      encodeBody(callAnswer(`call_${i}`, tool, { [argument]: i + 1 })));
    server.arrivalsMs.length = 0;
    const args = ["--no-session", "-t", "ls,tool_0", ...plugins];
    await runTau(main, { ...server, cwd, args });
    const { arrivalsMs } = server;
    return ((arrivalsMs[TURNS] ?? NaN) - (arrivalsMs[0] ?? NaN)) / TURNS;
  };
  try {
    let noneMs = Infinity;
    const someMs = await leastOf(RUNS, async () => {
      noneMs = Math.min(noneMs, await start([]));
      return await start(plugins);
    });
    let builtInMs = Infinity;
    const pluginMs = await leastOf(RUNS, async () => {
      builtInMs = Math.min(builtInMs, await turn("ls", "limit"));
      return await turn("tool_0", "n");
    });
    return { startMs: someMs - noneMs, callMs: pluginMs - builtInMs };
  } finally {
    server.close();
    await Deno.remove(cwd, { recursive: true });
    await Deno.remove(folder, { recursive: true });
  }
}
