import { isInside } from "../policy/path_policy.ts";

/** A `.git` file is one short line. */
const MAX_LINK_BYTES = 4096;

/** Folders that git works with. */
export interface GitFolders {
  /** Folder with the files of the repository; undefined where there is none. */
  top: string | undefined;
  /** Folders in which it writes. */
  folders: string[];
}

/**
 * The folders that git uses when it works in `cwd`: the repository's `.git`, or
 * those of a linked worktree or submodule and of the repository that they
 * belong to. `cwd` is real. What a `.git` file names counts only where git
 * itself would have put it and, of a worktree, where it names this one back:
 * whoever made the folder must not lead a run elsewhere.
 */
export function gitFolders(cwd: string): GitFolders {
  for (let top = cwd;; top = parentOf(top)) {
    const path = top === "/" ? "/.git" : `${top}/.git`;
    const info = lookAt(path);
    if (info) {
      const folders = foldersOf(info, { top, path });
      return { top: folders.length > 0 ? top : undefined, folders };
    }
    if (top === "/" || !top.startsWith("/")) {
      return { top: undefined, folders: [] };
    }
  }
}

function foldersOf(
  { uid, isDirectory, isFile }: Deno.FileInfo,
  { top, path }: { top: string; path: string },
): string[] {
  // Somebody else's repository above a shared folder is none of ours.
  if (uid !== null && uid !== Deno.uid()) return [];
  if (isDirectory) return isRepository(path) ? [path] : [];
  return isFile ? linkedFolders(top, path) : [];
}

function linkedFolders(folder: string, file: string): string[] {
  const named = /^gitdir: (.+?)\n*$/.exec(readLine(file) ?? "")?.[1];
  const git = named &&
    realPath(named.startsWith("/") ? named : `${folder}/${named}`);
  if (!git) return [];
  if (isSubmodule(git, folder)) return [git];
  const worktrees = parentOf(git);
  const common = parentOf(worktrees);
  const back = readLine(`${git}/gitdir`)?.trim();
  const isOurs = worktrees.endsWith("/worktrees") && back !== undefined &&
    realPath(back) === file && isRepository(common);
  return isOurs ? [common] : [];
}

/** Git keeps the data of submodules in the repository that holds them. */
function isSubmodule(git: string, folder: string): boolean {
  for (
    let holder = parentOf(folder);
    holder !== "/";
    holder = parentOf(holder)
  ) {
    const modules = `${holder}/.git/modules`;
    if (git !== modules && isInside(modules, git)) return isRepository(git);
  }
  return false;
}

function isRepository(git: string): boolean {
  return lookAt(`${git}/HEAD`)?.isFile === true &&
    lookAt(`${git}/objects`)?.isDirectory === true;
}

function lookAt(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch {
    return undefined;
  }
}

function readLine(path: string): string | undefined {
  const info = lookAt(path);
  if (!info?.isFile || info.size > MAX_LINK_BYTES) return undefined;
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return undefined;
  }
}

function realPath(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch {
    return undefined;
  }
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}
