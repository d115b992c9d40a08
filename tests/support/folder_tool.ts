import assert from "node:assert/strict";
import type { AgentTool } from "../../src/agent/agent_tool.ts";
import { putFiles } from "./put_files.ts";
import { inTempFolder } from "./temp_folder.ts";
import { outcomeOf, type ToolOutcome } from "./tool_outcome.ts";

type Params = Record<string, string | number | boolean>;

/** Runs a call of a tool. */
export type Call = (params: Params) => Promise<ToolOutcome>;

/** Makes a function that runs calls of a tool in a folder with some files. */
export function folderTool(
  create: (folder: string) => AgentTool,
): (
  files: Parameters<typeof putFiles>[1],
  test: (call: Call, folder: string) => Promise<void>,
) => Promise<void> {
  return (files, test) =>
    inTempFolder(async (folder) => {
      await putFiles(folder, files);
      const tool = create(folder);
      await test((params) => outcomeOf(tool, params), folder);
    });
}

/** Compares what the model reads of some calls. */
export async function assertTexts(
  call: Call,
  cases: readonly (readonly [params: Params, text: string])[],
): Promise<void> {
  for (const [params, text] of cases) {
    assert.equal((await call(params)).text, text, JSON.stringify(params));
  }
}
