import * as Type from "@sinclair/typebox";
import type { ReadOperations } from "../operations/file_operations.ts";
import { createLocalFileOperations } from "../operations/local_file_operations.ts";
import type { AgentTool } from "../agent/agent_tool.ts";
import type { Static } from "../sdk/schema_types.ts";
import { defineTool, type ToolDefinition } from "../sdk/tool_definition.ts";
import type { FileStamps } from "./file_stamps.ts";
import { calling } from "./load_calls.ts";
import type { Truncation } from "./read_text.ts";
import { renderFileCall, renderText } from "./render_file_tool.ts";
import { standaloneTool } from "./standalone_tool.ts";

/** How the read tool is made. */
export interface ReadToolOptions {
  /** Default: this machine's files, without a policy. */
  operations?: ReadOperations;
  /** What `~` stands for. */
  homeDir?: string;
  /** Shared with write and edit, so that write notices what others changed. */
  stamps?: FileStamps;
  /** Makes images smaller that are too big for providers. Default true. */
  autoResizeImages?: boolean;
}

/** For renderers and hosts: what was cut. */
export type ReadDetails = { truncation: Truncation } | undefined;

const parameters = Type.Object({
  path: Type.String({
    description: "File to read; relative paths start at the working folder",
  }),
  offset: Type.Optional(
    Type.Number({ description: "First line to show, counted from 1" }),
  ),
  limit: Type.Optional(Type.Number({ description: "Number of lines to show" })),
});

/** What the model says of a call. */
export type ReadParameters = Static<typeof parameters>;

/** The read tool as the product knows it: text by lines, images, and a name for everything else. */
export function createReadToolDefinition(
  cwd: string,
  options: ReadToolOptions = {},
): ToolDefinition<typeof parameters, ReadDetails> {
  const operations = options.operations ?? createLocalFileOperations();
  return defineTool<typeof parameters, ReadDetails>({
    name: "read",
    label: "Read",
    description:
      "Read a file. Text is shown without line numbers, at most 2000 lines or " +
      "50KB at a time: use offset and limit to go on. Images (png, jpeg, gif, " +
      "webp) are shown as such; other binary files are only named.",
    promptSnippet: "Read a file or an image",
    promptGuidelines: ["Read files with read, not with cat or sed."],
    parameters,
    constrainedSampling: { type: "json_schema", strict: "prefer" },
    execute: calling((calls) => calls.readFile, cwd, {
      ...options,
      operations,
    }),
    renderCall: ({ path, offset, limit }, theme, context) =>
      renderFileCall(
        { tool: "read", path, suffix: lineRange(offset, limit) },
        theme,
        context,
      ),
    renderResult: renderText,
  });
}

/** The read tool, ready to run in `cwd`. */
export function createReadTool(
  cwd: string,
  options: ReadToolOptions = {},
): AgentTool {
  return standaloneTool(createReadToolDefinition(cwd, options), cwd);
}

/** The lines of a call as `:5-7`; what has arrived of the arguments may be anything. */
function lineRange(offset: unknown, limit: unknown): string {
  const first = typeof offset === "number" ? offset : 1;
  if (typeof limit === "number") return `:${first}-${first + limit - 1}`;
  return typeof offset === "number" ? `:${first}` : "";
}
