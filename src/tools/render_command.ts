import type { AgentToolResult } from "../agent/agent_tool.ts";
import type { Theme } from "../sdk/theme.ts";
import type { RenderOptions } from "../sdk/tool_definition.ts";
import { visibleText } from "../sdk/visible_text.ts";

/** Lines of output shown before somebody asks for all. */
const COLLAPSED_LINES = 10;

/** Shows a shell call as one would type it, behind the prompt of its shell. */
export function renderCommand(
  prompt: string,
  args: { command?: string; timeout?: number },
  theme: Theme,
): string[] {
  const [first = "", ...rest] = visibleText(args.command ?? "...").split("\n");
  const timeout = args.timeout === undefined
    ? ""
    : theme.fg("muted", ` (timeout ${args.timeout} s)`);
  const lines = [
    theme.fg("toolTitle", theme.bold(`${prompt} ${first}`)),
    ...rest.map((line) =>
      theme.fg("toolTitle", `${" ".repeat(prompt.length)} ${line}`)
    ),
  ];
  lines[lines.length - 1] += timeout;
  return lines;
}

/** Shows the end of what a command printed, or all of it. */
export function renderCommandResult(
  result: AgentToolResult<unknown>,
  options: RenderOptions,
  theme: Theme,
): string[] {
  const text = result.content
    .map((block) => block.type === "text" ? block.text : "")
    .join("\n");
  const lines = text === ""
    ? []
    : visibleText(text.replace(/\n$/, "")).split("\n");
  const hidden = options.expanded ? 0 : lines.length - COLLAPSED_LINES;
  const shown = hidden > 0 ? lines.slice(hidden) : lines;
  const color = result.isError ? "error" : "muted";
  return [
    ...(hidden > 0 ? [theme.fg("muted", `... (${hidden} earlier lines)`)] : []),
    ...shown.map((line) => theme.fg(color, line)),
  ];
}
