import type { AgentTool } from "../../src/agent/agent_tool.ts";
import { putFiles } from "./put_files.ts";
import { inTempFolder } from "./temp_folder.ts";
import { outcomeOf, type ToolOutcome } from "./tool_outcome.ts";

/** Makes a function that runs calls of a tool in a folder with some files. */
export function folderTool(
  create: (folder: string) => AgentTool,
): (
  files: Parameters<typeof putFiles>[1],
  test: (
    call: (
      params: Record<string, string | number | boolean>,
    ) => Promise<ToolOutcome>,
    folder: string,
  ) => Promise<void>,
) => Promise<void> {
  return (files, test) =>
    inTempFolder(async (folder) => {
      await putFiles(folder, files);
      const tool = create(folder);
      await test((params) => outcomeOf(tool, params), folder);
    });
}
