import { runCli } from "./cli/run_cli.ts";

/** First argument that makes a kernel of a compiled program. */
const KERNEL_ARGUMENT = "--tau-kernel";

const isBundle = import.meta.url.endsWith(".js");
const entry = new URL(
  isBundle ? "./kernel/main.js" : "./kernel/main.ts",
  import.meta.url,
);

if (Deno.build.standalone && Deno.args[0] === KERNEL_ARGUMENT) {
  await import(entry.href);
}

Deno.exit(
  await runCli({
    args: Deno.args,
    env: Deno.env.toObject(),
    stdin: Deno.stdin,
    stdout: Deno.stdout,
    stderr: Deno.stderr,
    kernel: Deno.build.standalone
      ? { entry, selfArgument: KERNEL_ARGUMENT }
      : isBundle
      ? { entry }
      : { entry, config: new URL("../deno.json", import.meta.url) },
  }),
);
