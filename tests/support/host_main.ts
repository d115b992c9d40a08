import { runPuppet } from "./host_run.ts";

// A host of its own process: runs the puppet that its first argument
// describes, prints each event as a line, and the result as the last one.
const [steps = "[]", heartbeatMs] = Deno.args;
const line = (value: unknown) => {
  Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(value)}\n`));
};
const { result } = await runPuppet(JSON.parse(steps), {
  cwd: ".",
  env: Deno.env.toObject(),
  heartbeatMs: Number(heartbeatMs),
  onEvent: line,
});
line(result);
Deno.exit(result.exitCode);
