import { runCli } from "./cli/mod.ts";

const isBundle = import.meta.url.endsWith(".js");

Deno.exit(
  await runCli({
    args: Deno.args,
    env: Deno.env.toObject(),
    stdin: Deno.stdin,
    stdout: Deno.stdout,
    stderr: Deno.stderr,
    kernel: isBundle
      ? { entry: new URL("./kernel/main.js", import.meta.url) }
      : {
        entry: new URL("./kernel/main.ts", import.meta.url),
        config: new URL("../deno.json", import.meta.url),
      },
  }),
);
