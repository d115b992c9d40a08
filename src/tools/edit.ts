import * as Type from "@sinclair/typebox";
import type { EditOperations } from "../operations/file_operations.ts";
import { createLocalFileOperations } from "../operations/local_file_operations.ts";
import type { AgentTool } from "../agent/agent_tool.ts";
import type { JsonObject } from "../model/content.ts";
import type { Static } from "../sdk/schema_types.ts";
import { defineTool, type ToolDefinition } from "../sdk/tool_definition.ts";
import type { EditDiff } from "./edit_diff.ts";
import type { FileStamps } from "./file_stamps.ts";
import { calling } from "./load_calls.ts";
import { renderDiff, renderFileCall, renderText } from "./render_file_tool.ts";
import { standaloneTool } from "./standalone_tool.ts";

/** How the edit tool is made. */
export interface EditToolOptions {
  /** Default: this machine's files, without a policy. */
  operations?: EditOperations;
  /** What `~` stands for. */
  homeDir?: string;
  /** Shared with read and write, so that write notices what others changed. */
  stamps?: FileStamps;
}

const parameters = Type.Object({
  path: Type.String({
    description: "File to change; relative paths start at the working folder",
  }),
  edits: Type.Array(
    Type.Object({
      oldText: Type.String({
        description:
          "Text to replace, exactly as in the file; must occur there once",
      }),
      newText: Type.String({ description: "What to put in its place" }),
    }),
    {
      description:
        "Replacements, all found in the file as it is now; they must not overlap",
    },
  ),
});

/** What the model says of a call. */
export type EditParameters = Static<typeof parameters>;

/** The edit tool as the product knows it: exact replacements, all of them or none. */
export function createEditToolDefinition(
  cwd: string,
  options: EditToolOptions = {},
): ToolDefinition<typeof parameters, EditDiff> {
  const operations = options.operations ?? createLocalFileOperations();
  return defineTool<typeof parameters, EditDiff>({
    name: "edit",
    label: "Edit",
    description:
      "Change a text file by replacing exact pieces of text. Each oldText must " +
      "occur exactly once in the file; all replacements are made, or none. Line " +
      "ends (LF or CRLF) need not match and are kept.",
    promptSnippet: "Replace exact pieces of text in a file",
    promptGuidelines: [
      "Give edit as little oldText as is unique, and put all changes of one file into one call.",
    ],
    parameters,
    constrainedSampling: { type: "json_schema", strict: "prefer" },
    prepareArguments: prepareEditArguments,
    execute: calling((calls) => calls.editFile, cwd, {
      ...options,
      operations,
    }),
    renderCall: (args, theme, context) =>
      renderFileCall({ tool: "edit", path: args.path }, theme, context),
    renderResult: (result, options, theme) =>
      result.details?.diff && !result.isError
        ? renderDiff(result.details.diff, options, theme)
        : renderText(result, options, theme),
  });
}

/** The edit tool, ready to run in `cwd`. */
export function createEditTool(
  cwd: string,
  options: EditToolOptions = {},
): AgentTool {
  return standaloneTool(createEditToolDefinition(cwd, options), cwd);
}

/**
 * Mends the shapes in which models send edits: `edits` as JSON text, as one
 * object, and `oldText` and `newText` at the top.
 */
export function prepareEditArguments(raw: JsonObject): JsonObject {
  const { oldText, newText, ...rest } = raw;
  let edits: unknown = raw.edits;
  if (typeof edits === "string") {
    try {
      edits = JSON.parse(edits);
    } catch {
      // The schema says what is wrong with a text.
      return raw;
    }
  }
  if (typeof edits === "object" && edits !== null && !Array.isArray(edits)) {
    edits = [edits];
  }
  if (typeof oldText === "string" && typeof newText === "string") {
    edits = [...(Array.isArray(edits) ? edits : []), { oldText, newText }];
    return { ...rest, edits: edits as JsonObject[] };
  }
  return edits === raw.edits ? raw : { ...raw, edits: edits as JsonObject[] };
}
