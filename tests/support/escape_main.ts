import { runCli } from "../../src/cli/run_cli.ts";
import { mutationOf } from "../escape/mutations.ts";
import { type RingSetting, withRings } from "./escape_rings.ts";

// The program of src/main.ts with some of the rings around its kernel, and
// with changed modules in the kernel where a variable names a `deno.json`.
const { TAU_TEST_RINGS, TAU_TEST_CONFIG, ...env } = Deno.env.toObject();
const { rings, mutation }: RingSetting = JSON.parse(TAU_TEST_RINGS ?? "");
const change = mutation === undefined ? undefined : mutationOf(mutation).launch;
Deno.exit(
  await runCli({
    args: Deno.args,
    env,
    stdin: Deno.stdin,
    stdout: Deno.stdout,
    stderr: Deno.stderr,
    kernel: {
      entry: new URL("../../src/kernel/main.ts", import.meta.url),
      config: new URL(
        TAU_TEST_CONFIG ?? "../../deno.json",
        import.meta.url,
      ),
      alterLaunch: (launch) => withRings(launch, rings, { change, env }),
    },
  }),
);
