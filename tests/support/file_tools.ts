import type { FileOperations } from "../../src/operations/file_operations.ts";
import type { AgentTool, AgentToolResult } from "../../src/agent/agent_tool.ts";
import type { JsonObject } from "../../src/model/content.ts";
import {
  createEditTool,
  createReadTool,
  createWriteTool,
} from "../../src/tools/factories.ts";
import { FileStamps } from "../../src/tools/file_stamps.ts";

/** The three file tools of one session in a folder. */
export function fileTools(
  cwd: string,
  options: { operations?: FileOperations; homeDir?: string } = {},
): Record<"read" | "write" | "edit", (params: JsonObject) => Promise<string>> {
  const shared = { ...options, stamps: new FileStamps() };
  const read = createReadTool(cwd, shared);
  const write = createWriteTool(cwd, shared);
  const edit = createEditTool(cwd, shared);
  return {
    read: (params) => textOf(read, params),
    write: (params) => textOf(write, params),
    edit: (params) => textOf(edit, params),
  };
}

/** What a call says to the model; `ERROR` and the message when it throws. */
async function textOf(tool: AgentTool, params: JsonObject): Promise<string> {
  let result: AgentToolResult;
  try {
    result = await tool.execute("call", params);
  } catch (error) {
    return `ERROR ${(error as Error).message}`;
  }
  return result.content.map((block) =>
    block.type === "text" ? block.text : `<${block.mimeType}>`
  ).join("\n");
}

/** Parameters of a call of edit. */
export function editOf(
  path: string,
  ...edits: readonly [oldText: string, newText: string][]
): { path: string; edits: { oldText: string; newText: string }[] } {
  return {
    path,
    edits: edits.map(([oldText, newText]) => ({ oldText, newText })),
  };
}
