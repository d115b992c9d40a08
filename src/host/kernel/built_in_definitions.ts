import { BUILT_IN_NAMES } from "../../policy/built_in_tools.ts";
import type { AnyToolDefinition } from "../../sdk/tool_definition.ts";
import {
  DEFAULT_TIMEOUT_MS,
  SHOWN_TOOLS,
  shownShell,
} from "../../tools/shown_tools.ts";

/** A tool without its work, which only a kernel does. */
export type ShownTool = Omit<AnyToolDefinition, "execute">;

/** The built-in tools as every kernel has them, in the order in which they are told. */
export function builtInDefinitions(
  { bashTimeoutMs = DEFAULT_TIMEOUT_MS }: {
    bashTimeoutMs?: number | undefined;
  },
): ShownTool[] {
  return BUILT_IN_NAMES.map((name): ShownTool => {
    if (name !== "bash" && name !== "powershell") return SHOWN_TOOLS[name];
    const timeoutMs = name === "bash" ? bashTimeoutMs : DEFAULT_TIMEOUT_MS;
    return shownShell(name, { timeoutMs, exposeSession: true });
  });
}
