import { runCli } from "../../src/cli/run_cli.ts";

// The program of src/main.ts with another kernel, named by a variable.
Deno.exit(
  await runCli({
    args: Deno.args,
    env: Deno.env.toObject(),
    stdin: Deno.stdin,
    stdout: Deno.stdout,
    stderr: Deno.stderr,
    kernel: {
      entry: new URL(
        `./kernels/${Deno.env.get("TAU_TEST_KERNEL")}.ts`,
        import.meta.url,
      ),
      config: new URL("../../deno.json", import.meta.url),
      bringsTools: true,
    },
  }),
);
