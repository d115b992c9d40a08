import { textOf } from "../model/message.ts";
import type { AnyToolDefinition } from "../sdk/tool_definition.ts";
import type { CheckRunner } from "../session/check_goal.ts";
import type { KernelServices } from "./services.ts";

/** The same tools to whoever calls them, but nothing is run: results come from a recording. */
export function replayedTools(
  tools: readonly AnyToolDefinition[],
  services: Pick<KernelServices, "recordedResult">,
): AnyToolDefinition[] {
  return tools.map((tool) => ({
    ...tool,
    execute: (toolCallId) => services.recordedResult(toolCallId),
  }));
}

/** Checks that come out as they were recorded. */
export function replayedCheck(
  services: Pick<KernelServices, "recordedResult">,
): CheckRunner {
  return async () => {
    const { content, isError } = await services.recordedResult();
    return { passed: isError !== true, output: textOf(content) };
  };
}
