import { withFileMutationQueue } from "../operations/file_mutation_queue.ts";
import { parentPath } from "../operations/lexical_path.ts";
import type { AgentToolResult } from "../agent/agent_tool.ts";
import { ToolError } from "../agent/tool_error.ts";
import type { WriteOperations } from "../operations/file_operations.ts";
import type { FileToolParameters } from "./builtin.ts";
import { fileCall } from "./explain_file_error.ts";
import type { CallOptions, FileToolOptions } from "./tool_options.ts";

/** Writes a whole file for the write tool. */
export async function writeFile(
  { path, content }: FileToolParameters<"write">,
  { operations, cwd, homeDir, stamps, signal }: CallOptions<
    FileToolOptions<WriteOperations>,
    undefined
  >,
): Promise<AgentToolResult> {
  signal?.throwIfAborted();
  checkArguments(path, content);
  const change = async (absolutePath: string) => {
    signal?.throwIfAborted();
    await operations.mkdir(parentPath(absolutePath));
    signal?.throwIfAborted();
    const expected = stamps?.get(await operations.realPath(absolutePath));
    const data = new TextEncoder().encode(content);
    const outcome = await operations
      .writeFile(absolutePath, data, { expected });
    stamps?.record(outcome);
    const note = outcome.inPlace ? ` (in place, since ${outcome.inPlace})` : "";
    return {
      content: [{
        type: "text" as const,
        text: `Successfully wrote to ${path.replace(/^@/, "")}${note}`,
      }],
    };
  };
  return await fileCall(
    { action: "write", path, cwd, homeDir },
    (absolutePath) =>
      withFileMutationQueue(absolutePath, () => change(absolutePath), {
        realPath: (path) => operations.realPath(path),
      }),
  );
}

function checkArguments(path: string, content: string): void {
  const refuse = (reason: string) => {
    throw new ToolError(`Cannot write ${JSON.stringify(path)}: ${reason}`);
  };
  if (/(^|\/)\.{0,2}$/.test(path)) {
    refuse("the path names a folder, not a file");
  }
  if (!content.isWellFormed()) {
    refuse("content holds half a surrogate pair, which is not text");
  }
}
