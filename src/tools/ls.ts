import * as Type from "@sinclair/typebox";
import {
  createLocalSearchOperations,
  type DirectoryEntry,
  joinPath,
  type LsOperations,
} from "../operations/mod.ts";
import { type AgentTool, type ToolDefinition, ToolError } from "../sdk/mod.ts";
import { Pacer } from "./pacer.ts";
import { renderFileCall, renderText } from "./render_file_tool.ts";
import { resolvePath } from "./resolve_path.ts";
import {
  explainSearchError,
  limitNotice,
  resultLimit,
  searchResult,
  type SearchTruncation,
} from "./search_result.ts";
import { shownPath } from "./shown_path.ts";
import { standaloneTool } from "./standalone_tool.ts";

/** Settings of the ls tool. */
export interface LsToolOptions {
  /** Default: this machine's files, without a policy. */
  operations?: LsOperations;
  /** What `~` stands for. */
  homeDir?: string;
}

/** For renderers and hosts: what was left out. */
export type LsDetails = SearchTruncation & { entryLimitReached?: number };

const DEFAULT_LIMIT = 500;

const parameters = Type.Object({
  path: Type.Optional(
    Type.String({ description: "Folder to list. Default: the working folder" }),
  ),
  limit: Type.Optional(
    Type.Number({
      description: `Most entries to show. Default: ${DEFAULT_LIMIT}`,
    }),
  ),
});

/** The ls tool as the product knows it. */
export function createLsToolDefinition(
  cwd: string,
  options: LsToolOptions = {},
): ToolDefinition<typeof parameters, LsDetails | undefined> {
  const operations = options.operations ?? createLocalSearchOperations();
  return {
    name: "ls",
    label: "ls",
    description:
      "List a folder: names in alphabetical order, hidden ones too, folders with a / at their end.",
    promptSnippet: "List a folder",
    parameters,
    constrainedSampling: { type: "json_schema", strict: "prefer" },
    async execute(_id, { path = ".", limit }, signal, _onUpdate, ctx) {
      const pacer = new Pacer(signal);
      const root = resolvePath(path, {
        cwd: ctx.cwd || cwd,
        homeDir: options.homeDir,
      });
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
    },
    renderCall: (args, theme, context) =>
      renderFileCall({ tool: "ls", path: args.path ?? "." }, theme, context),
    renderResult: renderText,
  };
}

/** The ls tool, ready to run in `cwd`. */
export function createLsTool(
  cwd: string,
  options: LsToolOptions = {},
): AgentTool {
  return standaloneTool(createLsToolDefinition(cwd, options), cwd);
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
