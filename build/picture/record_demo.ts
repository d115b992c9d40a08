import { BuildError } from "../build_error.ts";

/** A command and the lines that it printed, with the codes of their colours. */
export interface PrintedRun {
  command: string;
  lines: string[];
}

/**
 * Runs `tau demo` of this folder and returns its stdout. Left out is stderr,
 * which tells about the machine. stdout is a pipe, for which lines have 80
 * columns, and colours are asked for.
 */
export async function recordDemo(root: URL): Promise<PrintedRun> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-prompt", "src/main.ts", "demo"],
    cwd: root,
    // As npx sets it: the demo names the command that it was started by.
    env: { FORCE_COLOR: "1", NO_COLOR: "", npm_command: "exec" },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  if (!success) {
    throw new BuildError(`tau demo failed: ${decoder.decode(stderr)}`);
  }
  return {
    command: `npx -y deno@${Deno.version.deno} task demo`,
    lines: decoder.decode(stdout).trimEnd().split("\n"),
  };
}
