import {
  joinPath,
  parentPath,
  relativePath,
} from "../operations/lexical_path.ts";
import type {
  DirectoryEntry,
  FindOperations,
} from "../operations/search_operations.ts";
import { ToolError } from "../agent/tool_error.ts";
import { explainFileError } from "./explain_file_error.ts";
import type { IgnoreRules } from "./ignore_rules.ts";
import type { Pacer } from "./pacer.ts";

/** An ignore file beyond this is not one. */
const MAX_IGNORE_FILE_BYTES = 1024 * 1024;

/** Names of ignore files in a folder; later ones win. */
const IGNORE_FILE_NAMES = [".gitignore", ".ignore"];

/** Files and folders that a walk found. */
export interface WalkEntry {
  /** From the folder of the walk on, with `/`. */
  path: string;
  kind: DirectoryEntry["kind"];
}

/** Counts of entries that a walk left out; each folder counts as one. */
export class Omissions {
  ignored = 0;
  hidden = 0;
  unreadable = 0;
  /** Fault of the first unreadable entry. */
  firstFault: string | undefined;

  /** Counts a path that could not be read; rethrows what is no failure of the file system. */
  async noteUnreadable(path: string, error: unknown): Promise<void> {
    const call = { action: "read", path, absolutePath: path } as const;
    const fault = await explainFileError(error, call);
    if (!(fault instanceof ToolError)) throw error;
    this.unreadable++;
    this.firstFault ??= fault.message;
  }

  /** One sentence for each kind. */
  sentences(): string[] {
    const { ignored, hidden, unreadable, firstFault } = this;
    const kinds = [
      ...(ignored > 0 ? [`${ignored} ignored`] : []),
      ...(hidden > 0 ? [`${hidden} hidden`] : []),
    ].join(" and ");
    const [entries, them] = ignored + hidden === 1
      ? ["entry was", "it"]
      : ["entries were", "them"];
    const more = unreadable === 1 ? "" : `, and ${unreadable - 1} more like it`;
    return [
      ...(kinds === "" ? [] : [
        `${kinds} ${entries} not searched; name the path to search ${them}`,
      ]),
      ...(firstFault === undefined ? [] : [firstFault + more]),
    ];
  }
}

const BATCH = 256;

/** A folder whose entries are being visited. */
interface Frame {
  folder: string;
  entries: DirectoryEntry[];
  at: number;
  rules: IgnoreRules;
}

/**
 * Visits all below a folder, in the order of the code units of the paths, in
 * batches. What ignore files leave out and what is hidden is not visited but
 * counted, `.git` not even that; the folder itself is visited whatever it is.
 * Links are entries, never followed. The result is that of `git ls-files -co
 * --exclude-standard` but for hidden files, folders and the user's own
 * excludes; outside a repository ignore files count too.
 */
export async function* walk(
  root: string,
  { operations, pacer, omissions }: {
    operations: FindOperations;
    pacer: Pacer;
    /** Counted up on the way. */
    omissions: Omissions;
  },
): AsyncGenerator<WalkEntry[], void> {
  const { top, rules } = await rulesAbove(root, operations);
  /** From the top to the folder of the walk. */
  const prefix = top === root ? "" : `${relativePath(top, root)}/`;

  async function open(folder: string, rules: IgnoreRules): Promise<Frame> {
    const absolute = joinPath(root, folder);
    const entries = await operations.readDirectory(absolute);
    await pacer.pause();
    entries.sort(byPath);
    const names = IGNORE_FILE_NAMES.filter((name) =>
      entries.some((entry) => entry.name === name && entry.kind === "file")
    );
    const texts = await readTexts(absolute, names, operations);
    const fromTop = (prefix + folder).replace(/\/$/, "");
    return { folder, entries, at: 0, rules: rules.with(fromTop, texts) };
  }

  const stack = [await open("", rules)];
  let batch: WalkEntry[] = [];
  for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
    const pause = pacer.pause();
    if (pause) await pause;
    const entry = frame.entries[frame.at++];
    if (!entry) {
      stack.pop();
      continue;
    }
    const { name, kind } = entry;
    if (name === ".git") continue;
    if (name.startsWith(".")) {
      omissions.hidden++;
      continue;
    }
    const path = frame.folder + name;
    const isDirectory = kind === "directory";
    if (frame.rules.ignores(prefix + path, isDirectory)) {
      omissions.ignored++;
      continue;
    }
    batch.push({ path, kind });
    if (isDirectory) {
      try {
        stack.push(await open(`${path}/`, frame.rules.entering(prefix + path)));
      } catch (error) {
        await omissions.noteUnreadable(path, error);
      }
    }
    if (batch.length >= BATCH) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

/** The order of whole paths: a folder sorts by its name and the slash behind it. */
function byPath(a: DirectoryEntry, b: DirectoryEntry): number {
  const first = a.kind === "directory" ? `${a.name}/` : a.name;
  const second = b.kind === "directory" ? `${b.name}/` : b.name;
  return first < second ? -1 : first > second ? 1 : 0;
}

/** The rules from the top of the repository that holds a folder, down to its parent. */
async function rulesAbove(
  root: string,
  operations: FindOperations,
): Promise<{ top: string; rules: IgnoreRules }> {
  // Loaded by the first search, since it costs 13 ms.
  const { IgnoreRules } = await import("./ignore_rules.ts");
  const top = await repositoryOf(root, operations);
  if (top === undefined) return { top: root, rules: IgnoreRules.none };
  const exclude = await readTexts(top, [".git/info/exclude"], operations);
  let rules = IgnoreRules.none.with("", exclude);
  let path = "";
  for (const folder of relativePath(top, root).split("/")) {
    if (folder === ".") break;
    const texts = await readTexts(
      joinPath(top, path),
      IGNORE_FILE_NAMES,
      operations,
    );
    rules = rules.with(path, texts);
    path = path === "" ? folder : `${path}/${folder}`;
    rules = rules.entering(path);
  }
  return { top, rules };
}

async function repositoryOf(
  root: string,
  operations: FindOperations,
): Promise<string | undefined> {
  for (let folder = root;; folder = parentPath(folder)) {
    const git = operations.kindAt(joinPath(folder, ".git"));
    if (await unlessUnreadable(git) !== undefined) return folder;
    if (parentPath(folder) === folder) return undefined;
  }
}

/** The texts of those files of a folder that exist and can be read. */
async function readTexts(
  folder: string,
  names: string[],
  operations: FindOperations,
): Promise<string[]> {
  const texts: string[] = [];
  for (const name of names) {
    const path = joinPath(folder, name);
    const file = operations.readFile(path, MAX_IGNORE_FILE_BYTES);
    const bytes = await unlessUnreadable(file);
    if (bytes) texts.push(new TextDecoder().decode(bytes));
  }
  return texts;
}

/** The result of a call; undefined when there is nothing or it is refused, as folders above the roots are. */
async function unlessUnreadable<Value>(
  call: Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await call;
  } catch (error) {
    await new Omissions().noteUnreadable("", error);
    return undefined;
  }
}
