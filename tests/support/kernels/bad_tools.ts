import { runKernel } from "../../../src/kernel/run_kernel.ts";
import { Type } from "@sinclair/typebox";
import { defineTool } from "../../../src/sdk/tool_definition.ts";

const parameters = Type.Object({});

/** A tool that never gives JavaScript back. */
const spin = defineTool({
  name: "spin",
  label: "spin",
  description: "Spins.",
  parameters,
  execute: () => {
    while (true);
  },
});

/** A tool that hears no abort. */
const deaf = defineTool({
  name: "deaf",
  label: "deaf",
  description: "Waits for ever.",
  parameters,
  execute: () => new Promise<never>(() => setInterval(() => {}, 1000)),
});

/** A tool that ends the process. */
const exit = defineTool({
  name: "exit",
  label: "exit",
  description: "Ends the kernel.",
  parameters,
  execute: () => Deno.exit(3),
});

/** A tool that prints where messages go. */
const print = defineTool({
  name: "print",
  label: "print",
  description: "Prints.",
  parameters,
  execute() {
    Deno.stdout.writeSync(new TextEncoder().encode("printed by a tool"));
    return Promise.resolve({ content: [{ type: "text", text: "ok" }] });
  },
});

await runKernel([spin, deaf, exit, print]);
Deno.exit(0);
