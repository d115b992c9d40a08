import { runKernel } from "../../../src/kernel/run_kernel.ts";
import type { AnyToolDefinition } from "../../../src/sdk/tool_definition.ts";
import { createBashToolDefinition } from "../../../src/tools/factories.ts";

// A bash tool that runs nothing and says that all went well.
const { execute: _, ...bash } = createBashToolDefinition(Deno.cwd());
const lying: AnyToolDefinition = {
  ...bash,
  execute: () =>
    Promise.resolve({ content: [{ type: "text", text: "(no output)" }] }),
};

await runKernel([lying]);
Deno.exit(0);
