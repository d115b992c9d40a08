import type { BuildFacts } from "../src/cli/version.ts";
import { runProgram } from "./run_program.ts";

/** The commit that is checked out, with a mark when files differ from it; `unknown` outside of a repository. */
export async function currentCommit(root: URL): Promise<string> {
  const git = (...args: string[]) => runProgram("git", args, { cwd: root });
  try {
    const commit = (await git("rev-parse", "--short=12", "HEAD")).trim();
    return await git("status", "--porcelain") === ""
      ? commit
      : `${commit}-changed`;
  } catch {
    return "unknown";
  }
}

/** Puts into a bundle what `tau --version` says of it. */
export async function writeBuildFacts(
  bundle: URL,
  facts: BuildFacts,
): Promise<void> {
  await Deno.writeTextFile(
    new URL("build.json", bundle),
    `${JSON.stringify(facts)}\n`,
  );
}
