import type { AgentToolResult } from "../agent/agent_tool.ts";
import type { TSchema } from "../sdk/schema_types.ts";
import type { ToolDefinition } from "../sdk/tool_definition.ts";
import {
  FILE_TOOLS,
  shellDeclaration,
  type ShellName,
  SHELLS,
} from "./builtin.ts";
import type { CommandDetails } from "./command_output.ts";
import type { EditDiff } from "./edit_diff.ts";
import {
  oneLine,
  renderCommand,
  renderCommandResult,
  renderDiff,
  renderLines,
  renderPath,
  renderText,
  renderTitle,
} from "./render.ts";
import type { ShellToolOptions } from "./tool_options.ts";

/** Everything of a definition but `execute`. */
export type Shown<Params extends TSchema, Details> = Omit<
  ToolDefinition<Params, Details>,
  "execute"
>;

/** The tools for files as the model and a terminal are shown them. */
export const SHOWN_TOOLS = {
  read: shown({
    ...FILE_TOOLS.read,
    renderCall: ({ path, offset, limit }, theme, context) => {
      const suffix = lineRange(offset, limit);
      return renderTitle("read", [renderPath(path, context), suffix], theme);
    },
  }),
  write: shown({
    ...FILE_TOOLS.write,
    renderCall: ({ path, content }, theme, context) => [
      ...renderTitle("write", [renderPath(path, context)], theme),
      ...renderLines(content, { expanded: false, theme }),
    ],
  }),
  edit: shown({
    ...FILE_TOOLS.edit,
    renderCall: ({ path }, theme, context) =>
      renderTitle("edit", [renderPath(path, context)], theme),
    renderResult: (result: AgentToolResult<EditDiff>, options, theme) =>
      result.details?.diff && !result.isError
        ? renderDiff(result.details.diff, options, theme)
        : renderText(result, options, theme),
  }),
  find: shown({
    ...FILE_TOOLS.find,
    renderCall: ({ pattern = "…", path = "." }, theme) =>
      renderTitle("find", [oneLine(pattern), ` in ${oneLine(path)}`], theme),
  }),
  grep: shown({
    ...FILE_TOOLS.grep,
    renderCall: ({ pattern, path = ".", glob }, theme) => {
      const subject = pattern === undefined ? "…" : `/${oneLine(pattern)}/`;
      const files = glob === undefined ? "" : ` (${oneLine(glob)})`;
      return renderTitle(
        "grep",
        [subject, ` in ${oneLine(path)}${files}`],
        theme,
      );
    },
  }),
  ls: shown({
    ...FILE_TOOLS.ls,
    renderCall: ({ path = "." }, theme, context) =>
      renderTitle("ls", [renderPath(path, context)], theme),
  }),
};

/** A shell tool as the model and a terminal are shown it. */
export function shownShell(
  shell: ShellName,
  options: Pick<ShellToolOptions, "timeoutMs" | "exposeSessionEnvironment">,
): Shown<
  ReturnType<typeof shellDeclaration>["parameters"],
  CommandDetails | undefined
> {
  return {
    ...shellDeclaration(shell, options),
    renderCall: (args, theme) =>
      renderCommand(SHELLS[shell].prompt, args, theme),
    renderResult: renderCommandResult,
  };
}

function shown<Params extends TSchema, Details>(
  tool: Shown<Params, Details>,
): Shown<Params, Details> {
  return { renderResult: renderText, ...tool };
}

/** The lines of a call as `:5-7`; what has arrived of the arguments may be anything. */
function lineRange(offset: unknown, limit: unknown): string {
  const first = typeof offset === "number" ? offset : 1;
  if (typeof limit === "number") return `:${first}-${first + limit - 1}`;
  return typeof offset === "number" ? `:${first}` : "";
}
