import * as Type from "@sinclair/typebox";
import {
  createLocalFileOperations,
  parentPath,
  withFileMutationQueue,
  type WriteOperations,
} from "../operations/mod.ts";
import {
  type AgentTool,
  defineTool,
  type ToolDefinition,
  ToolError,
} from "../sdk/mod.ts";
import { explainFileError } from "./explain_file_error.ts";
import type { FileStamps } from "./file_stamps.ts";
import { renderFileCall, renderLines, renderText } from "./render_file_tool.ts";
import { resolvePath } from "./resolve_path.ts";
import { standaloneTool } from "./standalone_tool.ts";

/** How the write tool is made. */
export interface WriteToolOptions {
  /** Default: this machine's files, without a policy. */
  operations?: WriteOperations;
  /** What `~` stands for. */
  homeDir?: string;
  /** Shared with read and edit; without it no file counts as changed by others. */
  stamps?: FileStamps;
}

const parameters = Type.Object({
  path: Type.String({
    description: "File to write; relative paths start at the working folder",
  }),
  content: Type.String({ description: "The whole content of the file" }),
});

/** The write tool as the product knows it: whole files, in one step. */
export function createWriteToolDefinition(
  cwd: string,
  options: WriteToolOptions = {},
): ToolDefinition<typeof parameters> {
  const operations = options.operations ?? createLocalFileOperations();
  return defineTool<typeof parameters>({
    name: "write",
    label: "Write",
    description:
      "Write a whole file. Makes missing folders and replaces a file that is " +
      "there, unless it was changed by others since it was read.",
    promptSnippet: "Write a whole file",
    promptGuidelines: [
      "Use write for new files and complete rewrites only, edit for changes.",
    ],
    parameters,
    constrainedSampling: { type: "json_schema", strict: "prefer" },
    async execute(_id, { path, content }, signal, _onUpdate, ctx) {
      signal?.throwIfAborted();
      checkArguments(path, content);
      const absolutePath = resolvePath(path, {
        cwd: ctx.cwd || cwd,
        homeDir: options.homeDir,
      });
      const change = async () => {
        signal?.throwIfAborted();
        await operations.mkdir(parentPath(absolutePath));
        signal?.throwIfAborted();
        const expected = options.stamps?.get(
          await operations.realPath(absolutePath),
        );
        const data = new TextEncoder().encode(content);
        const outcome = await operations.writeFile(absolutePath, data, {
          expected,
        });
        options.stamps?.record(outcome);
        const note = outcome.inPlace
          ? ` (in place, since ${outcome.inPlace})`
          : "";
        return {
          content: [{
            type: "text" as const,
            text: `Successfully wrote to ${path.replace(/^@/, "")}${note}`,
          }],
        };
      };
      try {
        return await withFileMutationQueue(absolutePath, change, {
          realPath: (path) => operations.realPath(path),
        });
      } catch (error) {
        throw await explainFileError(error, {
          action: "write",
          path,
          absolutePath,
        });
      }
    },
    renderCall: ({ path, content }, theme, context) => [
      ...renderFileCall({ tool: "write", path }, theme, context),
      ...renderLines(content, { expanded: false, theme }),
    ],
    renderResult: renderText,
  });
}

/** The write tool, ready to run in `cwd`. */
export function createWriteTool(
  cwd: string,
  options: WriteToolOptions = {},
): AgentTool {
  return standaloneTool(createWriteToolDefinition(cwd, options), cwd);
}

function checkArguments(path: string, content: string): void {
  const refuse = (reason: string) => {
    throw new ToolError(`Cannot write ${JSON.stringify(path)}: ${reason}`);
  };
  if (/(^|\/)\.{0,2}$/.test(path)) {
    refuse("the path names a folder, not a file");
  }
  if (!content.isWellFormed()) {
    refuse("content holds half a surrogate pair, which is no text");
  }
}
