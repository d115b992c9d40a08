import { createLocalBashOperations } from "../operations/local_bash_operations.ts";
import type { AnyToolDefinition } from "../sdk/tool_definition.ts";
import { createBashToolDefinition } from "../tools/bash.ts";
import type { ToolSetup } from "./compose_tools.ts";
import type { KernelServices } from "./services.ts";

/** What commands need that are run beside the tools of a session. */
export type BashSetup = Pick<
  ToolSetup,
  "cwd" | "environment" | "outputDir" | "bashTimeoutMs"
>;

/** The bash tool for commands that are not the model's, also where that tool is not active. */
export function composeBash(
  { cwd, environment, outputDir, bashTimeoutMs }: BashSetup,
  services: Pick<KernelServices, "killCall">,
): AnyToolDefinition {
  return createBashToolDefinition(cwd, {
    operations: createLocalBashOperations({
      environment,
      killTree: (marker) => services.killCall(marker),
    }),
    outputDir,
    ...(bashTimeoutMs === undefined ? {} : { timeoutMs: bashTimeoutMs }),
  });
}
