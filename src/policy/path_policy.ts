import { deniedBy, type DeniedPattern } from "./denied_paths.ts";

/**
 * What the file tools may touch. Every path is absolute, real (links followed)
 * and without a final slash but for `/`; nothing outside the roots is allowed,
 * and a deny inside a root wins over the root.
 */
export interface PathPolicy {
  readRoots: readonly string[];
  writeRoots: readonly string[];
  /** Files, and folders with all below them. Default none. */
  denyRead?: string[];
  /** As `denyRead`. Default none. */
  denyWrite?: string[];
  /** What rules of the user forbid, by pattern. Default none. */
  deniedPatterns?: readonly DeniedPattern[];
  /** Neither read nor written, unless a root lies in one or is one. Default none. */
  secrets?: readonly string[];
  /** Protected like the names below, wherever they are. Default none. */
  protectedPaths?: readonly string[];
}

/**
 * Names that start programs or change what this one may do, relative to any
 * folder of a write root. A folder stands for all below it. The file tools
 * never write them; the sandbox mounts the existing ones read-only.
 */
export const PROTECTED_NAMES: readonly string[] = [
  ".git/config",
  ".git/config.worktree",
  ".git/commondir",
  ".git/hooks",
  ".gitmodules",
  ".tau",
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".bash_aliases",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".zlogin",
  ".zlogout",
  ".kshrc",
  ".cshrc",
  ".tcshrc",
  ".login",
  ".logout",
  ".config/fish",
  ".envrc",
  ".vscode",
  ".mcp.json",
];

const PROTECTED = PROTECTED_NAMES.map((name) => ({
  name,
  parts: name.split("/"),
}));

/** Why a real path may not be read; undefined when it may. */
export function decideRead(
  policy: PathPolicy,
  realPath: string,
): string | undefined {
  const denied = (policy.denyRead ?? []).some((path) =>
    isInside(path, realPath)
  );
  if (denied) {
    return `reading ${JSON.stringify(realPath)} is denied by the settings`;
  }
  const pattern = deniedBy(policy.deniedPatterns, "read", realPath);
  if (pattern) return refusedByRule("reading", realPath, pattern);
  const root = rootOf(policy.readRoots, realPath);
  if (root === undefined) return outside(realPath, policy.readRoots);
  return refuseSecret(policy, root, realPath);
}

/** Why a real path may not be written or made; undefined when it may. */
export function decideWrite(
  policy: PathPolicy,
  realPath: string,
): string | undefined {
  const denied = (policy.denyWrite ?? []).some((path) =>
    isInside(path, realPath)
  );
  if (denied) {
    return `writing ${JSON.stringify(realPath)} is denied by the settings`;
  }
  const pattern = deniedBy(policy.deniedPatterns, "write", realPath);
  if (pattern) return refusedByRule("writing", realPath, pattern);
  const root = rootOf(policy.writeRoots, realPath);
  if (root === undefined) return outside(realPath, policy.writeRoots);
  const secret = refuseSecret(policy, root, realPath);
  if (secret !== undefined) return secret;
  const name = nameOfProtected(policy, root, realPath);
  return name === undefined
    ? undefined
    : `${
      JSON.stringify(name)
    } is protected, since it can start programs or change permissions; ask the user to change it`;
}

/** Whether a path below the write roots is protected, whatever rules say. */
export function isProtected(policy: PathPolicy, realPath: string): boolean {
  if (deniedBy(policy.deniedPatterns, "write", realPath)) return false;
  const root = rootOf(policy.writeRoots, realPath);
  return root !== undefined &&
    nameOfProtected(policy, root, realPath) !== undefined;
}

/** Whether `path` is `root` or lies below it; both absolute, compared part by part. */
export function isInside(root: string, path: string): boolean {
  return path === root ||
    path.startsWith(root.endsWith("/") ? root : `${root}/`);
}

function refusedByRule(
  what: string,
  realPath: string,
  { rule }: DeniedPattern,
): string {
  return `${what} ${JSON.stringify(realPath)} is denied by the rule ${rule}`;
}

function nameOfProtected(
  { protectedPaths }: PathPolicy,
  root: string,
  realPath: string,
): string | undefined {
  return protectedName(root, realPath) ??
    protectedPaths?.find((path) => isInside(path, realPath));
}

/** Whoever named a folder in the midst of secrets meant it. */
function refuseSecret(
  { secrets = [] }: PathPolicy,
  root: string,
  path: string,
): string | undefined {
  const secret = rootOf(secrets, path);
  if (secret === undefined || secret.length <= root.length) return undefined;
  return `${JSON.stringify(secret)} may hold secrets; ask the user for it`;
}

/** The deepest of the roots that hold a path. */
function rootOf(roots: readonly string[], path: string): string | undefined {
  let deepest: string | undefined;
  for (const root of roots) {
    if (isInside(root, path) && root.length >= (deepest?.length ?? 0)) {
      deepest = root;
    }
  }
  return deepest;
}

/**
 * The protected name that a path below `root` carries. A root may be a `.git`
 * folder itself, so only the last part of a name has to lie below the root;
 * what the root's own path is called does not matter.
 */
function protectedName(root: string, path: string): string | undefined {
  const parts = partsOf(path).map(canonicalPart);
  const depth = partsOf(root).length;
  // As a file, `.git` names the folder whose config and hooks count.
  if (parts.length > depth && parts.at(-1) === ".git") return ".git";
  for (let end = depth; end < parts.length; end++) {
    const found = PROTECTED.find((rule) =>
      rule.parts.every((part, i) =>
        parts[end + 1 - rule.parts.length + i] === part
      )
    ) ?? protectedDeeperInGit(parts, end);
    if (found) {
      return found.name;
    }
  }
  return undefined;
}

/** Submodules and worktrees have git folders of their own below `.git`, with the same control files. */
function protectedDeeperInGit(
  parts: string[],
  end: number,
): { name: string } | undefined {
  const part = parts[end] ?? "";
  const git = parts.lastIndexOf(".git", end);
  const folder = git === -1 ? undefined : parts[git + 1];
  const isDeeper = folder === "modules" || folder === "worktrees";
  return isDeeper && PROTECTED_NAMES.includes(`.git/${part}`)
    ? { name: `.git/${folder}/…/${part}` }
    : undefined;
}

/** A name as file systems that ignore case, final dots or invisible characters see it. */
function canonicalPart(part: string): string {
  // By way of capitals, of which some have two small letters, as S has ſ.
  return part.toUpperCase().toLowerCase()
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, "")
    .replace(/:.*$/s, "")
    .replace(/[. ]+$/, "");
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "");
}

function outside(realPath: string, roots: readonly string[]): string {
  const allowed = roots.length > 0 ? roots.join(", ") : "none";
  return `outside the workspace (${
    JSON.stringify(realPath)
  }); allowed roots: ${allowed}`;
}
