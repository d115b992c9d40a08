import { joinPath } from "../operations/lexical_path.ts";
import type {
  DirectoryEntry,
  LsOperations,
} from "../operations/search_operations.ts";
import type { AgentToolResult } from "../agent/agent_tool.ts";
import { ToolError } from "../agent/tool_error.ts";
import { DEFAULT_LIMITS, type FileToolParameters } from "./builtin.ts";
import { explainFileError, fileCall } from "./explain_file_error.ts";
import { Pacer } from "./pacer.ts";
import {
  limitNotice,
  resultLimit,
  searchResult,
  type SearchTruncation,
  shownPath,
} from "./search_result.ts";
import type { CallOptions, PathToolOptions } from "./tool_options.ts";

/** Details of a result, for renderers and hosts: what was left out. */
export type LsDetails = SearchTruncation & { entryLimitReached?: number };

/** Lists a folder for the ls tool. */
export async function listFolder(
  { path = ".", limit }: FileToolParameters<"ls">,
  { operations, cwd, homeDir, signal }: CallOptions<
    PathToolOptions<LsOperations>,
    LsDetails | undefined
  >,
): Promise<AgentToolResult<LsDetails | undefined>> {
  const pacer = new Pacer(signal);
  const call = { action: "read" as const, path, cwd, homeDir, operations };
  return await fileCall(call, async (root) => {
    if (await operations.kindAt(root) !== "directory") {
      throw new ToolError(`Not a directory: ${root}`);
    }
    const entries = await operations.readDirectory(root);
    entries.sort(byName);
    const most = resultLimit(limit, DEFAULT_LIMITS.ls);
    const lines: string[] = [];
    for (const entry of entries.slice(0, most)) {
      lines.push(await describe(entry, { root, operations }));
      await pacer.pause();
    }
    const limited = entries.length > most;
    return searchResult<LsDetails>(lines, {
      empty: "(empty directory)",
      narrower: "use find with a pattern",
      limitNotice: limited ? limitNotice(most, "entries") : undefined,
      details: limited ? { entryLimitReached: most } : {},
    });
  });
}

/** Without regard to case; what is equal then, by code units. */
function byName(a: DirectoryEntry, b: DirectoryEntry): number {
  const first = a.name.toLowerCase();
  const second = b.name.toLowerCase();
  if (first !== second) return first < second ? -1 : 1;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

async function describe(
  { name, kind }: DirectoryEntry,
  { root, operations }: { root: string; operations: LsOperations },
): Promise<string> {
  const shown = shownPath(name, { root, cwd: root });
  if (kind === "directory") return `${shown}/`;
  if (kind !== "link") return shown;
  const path = joinPath(root, name);
  try {
    return await operations.kindAt(path) === "directory" ? `${shown}/` : shown;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return `${shown} (broken link)`;
    const fault = await explainFileError(error, {
      action: "read",
      path,
      absolutePath: path,
      operations,
    });
    if (fault instanceof ToolError) {
      return `${shown} (link that cannot be followed)`;
    }
    throw error;
  }
}
