import { joinPath } from "../operations/lexical_path.ts";
import type { AgentToolResult } from "../agent/agent_tool.ts";
import { ToolError } from "../agent/tool_error.ts";
import type { FindOperations } from "../operations/search_operations.ts";
import { DEFAULT_LIMITS, type FileToolParameters } from "./builtin.ts";
import { fileCall } from "./explain_file_error.ts";
import { globMatcher } from "./glob_matcher.ts";
import { Pacer } from "./pacer.ts";
import {
  limitNotice,
  progressReporter,
  resultLimit,
  searchResult,
  type SearchTruncation,
  shownPath,
} from "./search_result.ts";
import type { CallOptions, PathToolOptions } from "./tool_options.ts";
import { Omissions, walk, type WalkEntry } from "./walk.ts";

/** Details of a result, for renderers and hosts: what was left out. */
export type FindDetails = SearchTruncation & { resultLimitReached?: number };

/** Looks for files and folders for the find tool. */
export async function findFiles(
  { pattern, path = ".", limit }: FileToolParameters<"find">,
  { operations, cwd, homeDir, signal, onUpdate }: CallOptions<
    PathToolOptions<FindOperations>,
    FindDetails | undefined
  >,
): Promise<AgentToolResult<FindDetails | undefined>> {
  const pacer = new Pacer(signal);
  const most = resultLimit(limit, DEFAULT_LIMITS.find);
  const report = progressReporter(onUpdate);
  const omissions = new Omissions();
  const lines: string[] = [];
  let seen = 0;
  let limited = false;
  const call = { action: "read" as const, path, cwd, homeDir, operations };
  await fileCall(call, async (root) => {
    const matches = await entryMatcher(pattern, root);
    if (await operations.kindAt(root) !== "directory") {
      throw new ToolError(`Not a directory: ${root}`);
    }
    search: for await (
      const batch of walk(root, { operations, pacer, omissions })
    ) {
      for (const entry of batch) {
        if (!matches(entry)) continue;
        limited = lines.length >= most;
        if (limited) break search;
        const shown = shownPath(entry.path, { root, cwd });
        lines.push(entry.kind === "directory" ? `${shown}/` : shown);
      }
      seen += batch.length;
      report(() => `Looked at ${seen} entries, ${lines.length} of them match`);
    }
  });
  return searchResult<FindDetails>(lines, {
    empty: "No files found matching pattern",
    narrower: "refine pattern, or search a path below",
    limitNotice: limited
      ? `${limitNotice(most, "results")}, or refine pattern`
      : undefined,
    // A search that ended early has not seen all that it leaves out.
    notices: limited ? [] : omissions.sentences(),
    details: limited ? { resultLimitReached: most } : {},
  });
}

async function entryMatcher(
  pattern: string,
  root: string,
): Promise<(entry: WalkEntry) => boolean> {
  const onlyFolders = pattern.endsWith("/");
  const glob = pattern.replace(/\/+$/, "");
  const matches = await globMatcher(glob, {
    ignoreCase: glob === glob.toLowerCase(),
  });
  const absolute = glob.startsWith("/");
  // src/** asks for what is below, at any depth: the files.
  const onlyFiles = /(?:^|\/)\*\*$/.test(glob) && !onlyFolders;
  return ({ path, kind }) => {
    if (kind === "directory" ? onlyFiles : onlyFolders) return false;
    return matches(absolute ? joinPath(root, path) : path);
  };
}
