import {
  isAbsolutePath,
  normalizePath,
  relativePath,
} from "../operations/lexical_path.ts";
import type { AgentToolResult } from "../agent/agent_tool.ts";
import type { Theme } from "../sdk/theme.ts";
import type { RenderContext, RenderOptions } from "../sdk/tool_definition.ts";
import { truncateLine } from "../sdk/truncate.ts";
import { visibleText } from "../sdk/visible_text.ts";

const COLLAPSED_LINES = 10;
const COLLAPSED_DIFF_LINES = 40;

/** The first line of a call: the tool, and what it is about. */
export function renderTitle(
  tool: string,
  [subject, suffix = ""]: readonly [subject: string, suffix?: string],
  theme: Theme,
): string[] {
  const title = theme.fg("toolTitle", theme.bold(tool));
  return [`${title} ${theme.fg("accent", subject)}${suffix}`];
}

/** A path as seen from the working folder. It comes from the model, unchecked. */
export function renderPath(path: unknown, { cwd }: RenderContext): string {
  if (typeof path !== "string") return "…";
  return oneLine(
    isAbsolutePath(path) ? relativePath(cwd, normalizePath(path)) : path,
  );
}

/** The text of a result, shortened unless it is expanded. */
export function renderText(
  result: AgentToolResult<unknown>,
  options: RenderOptions,
  theme: Theme,
): string[] {
  const text = result.content
    .map((block) => block.type === "text" ? block.text : `[${block.mimeType}]`)
    .join("\n");
  return renderLines(text, {
    expanded: options.expanded,
    theme,
    paint: (line) => result.isError ? theme.fg("error", line) : line,
  });
}

/** A diff, added and removed lines in their colours. */
export function renderDiff(
  diff: string,
  options: RenderOptions,
  theme: Theme,
): string[] {
  return renderLines(diff, {
    expanded: options.expanded,
    theme,
    maxLines: COLLAPSED_DIFF_LINES,
    paint: (line) => {
      if (line.startsWith("+")) return theme.fg("added", line);
      return line.startsWith("-") ? theme.fg("removed", line) : line;
    },
  });
}

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

/** The first lines of foreign text, safe for a terminal, and how many there are more; none of what is not a string. */
export function renderLines(
  text: unknown,
  { theme, expanded, maxLines = COLLAPSED_LINES, paint = (line) => line }: {
    theme: Theme;
    /** All lines instead of the first. */
    expanded: boolean;
    maxLines?: number;
    /** Colours a line that is safe already. */
    paint?: (line: string) => string;
  },
): string[] {
  if (typeof text !== "string" || text === "") return [];
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  const shown = expanded ? lines : lines.slice(0, maxLines);
  const more = lines.length - shown.length;
  return [
    ...shown.map((line) => paint(truncateLine(visibleText(line)).text)),
    ...(more > 0 ? [theme.fg("muted", `... (${more} more lines)`)] : []),
  ];
}

/** Foreign text on one line, safe for a terminal. */
export function oneLine(text: string): string {
  return visibleText(text).replaceAll("\n", "␊");
}
