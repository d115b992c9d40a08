import { BuildError } from "../../build/build_error.ts";
import { currentCommit, writeBuildFacts } from "../../build/build_facts.ts";
import { makeBundle } from "../../build/bundle.ts";
import { makeCompiled } from "../../build/compiled.ts";
import { runProgram } from "../../build/run_program.ts";
import { ownTarget } from "../../build/targets.ts";
import { filePath } from "../../src/host/file_path.ts";
import { fetchRuntimeBase, HOLDER } from "./runtime_base.ts";

// Makes dist/for-tests/tau, the compiled form on a runtime base that may be
// used for tests and nothing else. Ends with 3, and says why, where the base or
// its Deno cannot be had.

const ROOT = new URL("../../", import.meta.url);
const FOLDER = new URL("dist/for-tests/", ROOT);
const NOT_TO_BE_HAD = 3;

if (Deno.version.deno === HOLDER.deno) await compile();
else await prepare();

/** In the project's Deno: fetches the base and its Deno, and has that go on. */
async function prepare(): Promise<void> {
  await Deno.remove(FOLDER, { recursive: true }).catch(() => {});
  const npx = ["-y", `deno@${HOLDER.deno}`];
  let base: URL;
  try {
    if (ownTarget().name !== "linux-x64") {
      throw new BuildError("the base is for Linux on x64");
    }
    await Deno.mkdir(FOLDER, { recursive: true });
    base = await fetchRuntimeBase(FOLDER);
    await runProgram("npx", [...npx, "--version"]);
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    say(`NOT RUN: the compiled form: ${error.message}`);
    Deno.exit(NOT_TO_BE_HAD);
  }
  await runProgram("npx", [
    ...[...npx, "run", "-A", "--no-prompt", import.meta.filename ?? ""],
  ], { env: { DENORT_BIN: filePath(base) } });
  say("dist/for-tests/tau");
}

/** In the Deno of the base. */
async function compile(): Promise<void> {
  const bundle = new URL("app/", FOLDER);
  await Deno.mkdir(bundle);
  await makeBundle(ROOT, bundle);
  const commit = await currentCommit(ROOT);
  await writeBuildFacts(bundle, { form: "compiled", commit });
  await makeCompiled(ownTarget(), bundle, new URL("tau", FOLDER));
}

function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
