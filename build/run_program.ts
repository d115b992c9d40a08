import { BuildError } from "./build_error.ts";

/** Runs a program to its end and returns what it printed. Throws a {@linkcode BuildError} with its last words when it is missing or fails. */
export async function runProgram(
  program: string,
  args: string[],
  { cwd, env }: { cwd?: URL | string; env?: Record<string, string> } = {},
): Promise<string> {
  const command = new Deno.Command(program, {
    args,
    ...(cwd ? { cwd } : {}),
    env: { ...env, NO_COLOR: "1" },
    stdin: "null",
  });
  let output;
  try {
    output = await command.output();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new BuildError(`"${program}" is not installed`, { cause: error });
  }
  const { success, stdout, stderr } = output;
  const decoder = new TextDecoder();
  if (success) return decoder.decode(stdout);
  throw new BuildError(
    `"${program} ${args[0]}" failed: ${reason(decoder.decode(stderr))}`,
  );
}

/** The line that says why, among progress and hints: the deepest cause of Deno's, or the first error. */
function reason(text: string): string {
  const lines = text.split("\n").map((line) => line.trim()).filter(Boolean);
  return lines.findLast((line) => /^\d+: (?!<unknown>)/.test(line)) ??
    lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ??
    "it said nothing";
}
