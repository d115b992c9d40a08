const TIMEOUT_MS = 10_000;

/** Runs the project's own check. */
export async function runCheck(
  folder: string,
): Promise<{ passed: boolean; output: string }> {
  try {
    const { success, stdout, stderr } = await new Deno.Command("sh", {
      args: ["check.sh"],
      cwd: folder,
      stdin: "null",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).output();
    const decoder = new TextDecoder();
    return {
      passed: success,
      output: decoder.decode(stdout) + decoder.decode(stderr),
    };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return { passed: false, output: "there is no sh on this machine\n" };
  }
}
