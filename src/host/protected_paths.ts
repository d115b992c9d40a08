import { isInside, PROTECTED_NAMES } from "../policy/path_policy.ts";
import { presentPaths } from "./present_paths.ts";

/** Names in a git folder that start programs or say where they are. */
const OF_GIT = ["config", "config.worktree", "commondir", "hooks"];
/** A repository with more submodules or worktrees than this is protected in part. */
const MAX_DEEPER = 100;

/**
 * The protected files and folders that exist at the top of write roots and in
 * git folders, by their real paths. All are real.
 */
export function existingProtectedPaths(
  roots: readonly string[],
  gitFolders: readonly string[],
): string[] {
  const found = new Set<string>();
  for (const root of roots) {
    for (const path of presentPaths(root, PROTECTED_NAMES)) add(path);
    // Of a linked worktree it is a file that says where its data is.
    for (const path of presentPaths(root, [".git"])) {
      if (isFile(path)) add(path);
    }
  }
  for (const git of gitFolders) {
    for (const path of presentPaths(git, OF_GIT)) add(path);
    for (const deeper of ["modules", "worktrees"]) {
      for (const name of namesIn(`${git}/${deeper}`)) {
        for (const one of [...OF_GIT, "gitdir"]) {
          add(`${git}/${deeper}/${name}/${one}`);
        }
      }
    }
  }
  return [...found];

  function add(path: string): void {
    try {
      const real = Deno.realPathSync(path);
      // A link that leads out leads to what children cannot write anyway.
      const isOurs = [...roots, ...gitFolders].some((root) =>
        isInside(root, real) && root !== real
      );
      if (isOurs) found.add(real);
    } catch {
      // It does not exist: what appears later is found at the end of the run.
    }
  }
}

function isFile(path: string): boolean {
  try {
    return Deno.lstatSync(path).isFile;
  } catch {
    return false;
  }
}

function namesIn(folder: string): string[] {
  const names: string[] = [];
  try {
    for (const { name } of Deno.readDirSync(folder)) {
      if (names.push(name) >= MAX_DEEPER) break;
    }
  } catch {
    // There is none.
  }
  return names;
}
