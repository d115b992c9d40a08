import { joinPath } from "../operations/lexical_path.ts";
import type {
  DirectoryEntry,
  LsOperations,
} from "../operations/search_operations.ts";
import type { AgentToolResult } from "../agent/agent_tool.ts";
import { ToolError } from "../agent/tool_error.ts";
import type { CallOptions } from "./load_calls.ts";
import {
  DEFAULT_LIMIT,
  type LsDetails,
  type LsParameters,
  type LsToolOptions,
} from "./ls.ts";
import { Pacer } from "./pacer.ts";
import { resolvePath } from "./resolve_path.ts";
import {
  explainSearchError,
  limitNotice,
  resultLimit,
  searchResult,
} from "./search_result.ts";
import { shownPath } from "./shown_path.ts";

/** Lists a folder for the ls tool. */
export async function listFolder(
  { path = ".", limit }: LsParameters,
  { operations, cwd, homeDir, signal }: CallOptions<
    LsToolOptions,
    LsDetails | undefined
  >,
): Promise<AgentToolResult<LsDetails | undefined>> {
  const pacer = new Pacer(signal);
  const root = resolvePath(path, { cwd, homeDir });
  try {
    if (await operations.kindAt(root) !== "directory") {
      throw new ToolError(`Not a directory: ${root}`);
    }
    const entries = await operations.readDirectory(root);
    entries.sort(byName);
    const most = resultLimit(limit, DEFAULT_LIMIT);
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
  } catch (error) {
    throw await explainSearchError(error, {
      path,
      absolutePath: root,
      operations,
    });
  }
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
    const fault = await explainSearchError(error, {
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
