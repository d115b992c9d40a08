import { PROTECTED_NAMES } from "../policy/path_policy.ts";

/** Names in a git folder that start programs or say where they are. */
const OF_GIT = ["config", "config.worktree", "commondir", "gitdir"];
/** Names in `.tau` that start nothing: where it is `TAU_HOME`, runs write there. */
const STORES: ReadonlySet<string> = new Set(["sessions", "tmp"]);
/** Folders of a git folder that hold more git folders. */
const DEEPER_GIT = ["modules", "worktrees"];
/** Protected names of one part, and the first part of the others. */
const FIRST_PARTS: ReadonlySet<string> = new Set(
  PROTECTED_NAMES.map((name) => name.split("/")[0] as string),
);

const MAX_FOLDERS = 20_000;
const MAX_DEPTH = 16;
/** Files of one protected folder, with its subfolders. */
const MAX_INSIDE = 200;
/** Control files altogether. */
const MAX_FILES = 5000;
/** Looked at last: there are many of them, and little is theirs. */
const LAST: ReadonlySet<string> = new Set(["node_modules", "target", ".venv"]);
/** Time in which the program may do nothing else. */
const SLICE_MS = 5;

/** Places where control files are looked for. */
export interface ControlFilePlaces {
  /** Folders that the run may write to. */
  roots: readonly string[];
  /** The repository's data, also where it is elsewhere. */
  gitFolders: readonly string[];
}

/** Control files that a look found. */
export interface ControlFileScan {
  files: Set<string>;
  /** There was more than could be looked at. */
  isPartial: boolean;
}

/** The control files at the top of the roots and in the repository: a few dozen looks. */
export function scanTop({ roots, gitFolders }: ControlFilePlaces): Set<string> {
  const files = new Set<string>();
  for (const root of roots) {
    for (const name of FIRST_PARTS) addControlFiles(files, root, name);
  }
  for (const folder of gitFolders) addGitFolder(files, folder);
  return files;
}

/** All control files below the roots, nearer ones first, for as long as `maxMs` and bounds of its own allow. */
export async function scanAll(
  places: ControlFilePlaces,
  maxMs: number,
): Promise<ControlFileScan> {
  const scan: ControlFileScan = {
    files: scanTop(places),
    isPartial: false,
  };
  const { files } = scan;
  const folders = new Set<string>();
  const endMs = performance.now() + maxMs;
  let sliceEndMs = performance.now() + SLICE_MS;
  let level = [...places.roots];
  const last: string[] = [];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      const nowMs = performance.now();
      if (
        nowMs > endMs || folders.size >= MAX_FOLDERS || files.size >= MAX_FILES
      ) {
        scan.isPartial = true;
        return scan;
      }
      if (nowMs > sliceEndMs) {
        await new Promise((resolve) => setTimeout(resolve, 0));
        sliceEndMs = performance.now() + SLICE_MS;
      }
      if (folders.has(folder)) continue;
      folders.add(folder);
      next.push(...look(folder));
    }
    level = next;
    if (level.length === 0) level = last.splice(0);
  }
  scan.isPartial = level.length > 0 || last.length > 0;
  return scan;

  /** Adds the control files of a folder and returns its subfolders. */
  function look(folder: string): string[] {
    const below: string[] = [];
    const names = new Set<string>();
    for (const { name, isDirectory } of entriesOf(folder)) {
      names.add(name);
      if (FIRST_PARTS.has(name)) addControlFiles(files, folder, name);
      else if (isDirectory) {
        (LAST.has(name) ? last : below).push(join(folder, name));
      }
    }
    // A repository without a working tree.
    const isBare = names.has("HEAD") && names.has("objects") &&
      names.has("refs");
    if (!isBare) return below;
    addGitFolder(files, folder);
    return [];
  }
}

/** The control files that one entry of a folder is, or holds. */
function addControlFiles(
  files: Set<string>,
  folder: string,
  name: string,
): void {
  const path = join(folder, name);
  const info = infoOf(path);
  if (!info) return;
  if (name === ".git") {
    if (info.isDirectory) addGitFolder(files, path);
    else files.add(path);
    return;
  }
  if (PROTECTED_NAMES.includes(name)) return addAll(files, path, info);
  if (info.isSymlink) {
    // Its target belongs to somebody else.
    files.add(path);
    return;
  }
  for (const protectedName of PROTECTED_NAMES) {
    if (!protectedName.startsWith(`${name}/`)) continue;
    const deeper = join(folder, protectedName);
    addAll(files, deeper, infoOf(deeper));
  }
}

function addGitFolder(files: Set<string>, folder: string, depth = 0): void {
  for (const name of OF_GIT) {
    const path = join(folder, name);
    if (infoOf(path)) files.add(path);
  }
  const hooks = join(folder, "hooks");
  addAll(files, hooks, infoOf(hooks));
  if (depth > 2) return;
  for (const name of DEEPER_GIT) {
    for (const entry of entriesOf(join(folder, name)).slice(0, MAX_INSIDE)) {
      if (!entry.isDirectory) continue;
      addGitFolder(files, join(join(folder, name), entry.name), depth + 1);
    }
  }
}

/** A file, or all files of a folder. */
function addAll(
  files: Set<string>,
  path: string,
  info: Deno.FileInfo | undefined,
): void {
  if (!info) return;
  if (!info.isDirectory) {
    files.add(path);
    return;
  }
  let count = 0;
  const isTau = path.endsWith("/.tau");
  const folders = [path];
  for (const folder of folders) {
    for (const { name, isDirectory } of entriesOf(folder)) {
      if (isTau && folder === path && STORES.has(name)) continue;
      if (++count > MAX_INSIDE) return;
      if (isDirectory) folders.push(join(folder, name));
      // Git puts examples beside hooks, which it does not run.
      else if (!name.endsWith(".sample")) files.add(join(folder, name));
    }
  }
}

/** Lists a folder; empty where it is none, is a link, or may not be read. */
function entriesOf(folder: string): Deno.DirEntry[] {
  try {
    if (Deno.lstatSync(folder).isSymlink) return [];
    return [...Deno.readDirSync(folder)];
  } catch {
    return [];
  }
}

function infoOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch {
    return undefined;
  }
}

function join(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}
