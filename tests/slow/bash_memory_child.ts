// Runs one command through the bash tool and prints by how much memory grew.
// A process of its own, since the peak of a process never sinks.
import { createBashTool } from "../../src/tools/factories.ts";
import { outcomeOf } from "../support/tool_outcome.ts";

/** What the call came to. */
export interface BashMemoryReport {
  grewByBytes: number;
  fullOutputBytes: number;
  /** The end of what the model sees. */
  end: string;
}

const [outputDir, command] = Deno.args;
if (outputDir === undefined || command === undefined) {
  throw new Error("Name a folder for the output and a command");
}
const tool = createBashTool("/", { outputDir });
const onUpdate = () => {};
// Loads what a call needs, a long output included.
await outcomeOf(tool, { command: "seq 1 100000" }, { onUpdate });
const before = await peakBytes();
const { text, details } = await outcomeOf(tool, { command }, { onUpdate });
const grewByBytes = await peakBytes() - before;
const { fullOutputPath } = details as { fullOutputPath: string };
const report: BashMemoryReport = {
  grewByBytes,
  fullOutputBytes: (await Deno.stat(fullOutputPath)).size,
  end: text.slice(-200),
};
Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(report)));

/** The most that this process ever held in memory. Linux. */
async function peakBytes(): Promise<number> {
  const status = await Deno.readTextFile("/proc/self/status");
  return Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1]) * 1024;
}
