import { BUILT_IN_NAMES } from "../../policy/built_in_tools.ts";
import type { AnyToolDefinition } from "../../sdk/tool_definition.ts";
import { FILE_TOOLS, shellTool } from "../../tools/builtin.ts";

/** A tool without its work, which only a kernel does. */
export type ShownTool = Omit<AnyToolDefinition, "execute">;

/** The built-in tools as every kernel has them, in the order in which they are told. */
export function builtInDefinitions(
  { bashTimeoutMs }: { bashTimeoutMs?: number | undefined },
): ShownTool[] {
  return BUILT_IN_NAMES.map((name): ShownTool => {
    if (name !== "bash" && name !== "powershell") return FILE_TOOLS[name];
    return shellTool(
      name,
      name === "bash" ? { timeoutMs: bashTimeoutMs } : {},
    );
  });
}
