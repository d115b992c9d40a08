import { textOf } from "../model/message.ts";
import { ToolError } from "../agent/tool_error.ts";
import type { CheckRunner } from "../session/check_goal.ts";
import { type BashSetup, composeBash } from "./compose_tools.ts";
import type { KernelServices } from "./services.ts";

/**
 * Runs checks as the bash tool runs commands, also where that tool is not
 * active: same environment and time limit, and its output is cut alike.
 */
export function composeCheck(
  setup: BashSetup,
  services: Pick<KernelServices, "killCall">,
): CheckRunner {
  const bash = composeBash(setup, services);
  const { cwd } = setup;
  return async (command, signal) => {
    try {
      const { content, isError } = await bash.execute(
        "check",
        { command },
        signal,
        undefined,
        { cwd },
      );
      return { passed: isError !== true, output: textOf(content) };
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof ToolError)) throw error;
      return { passed: false, output: error.message };
    }
  };
}
