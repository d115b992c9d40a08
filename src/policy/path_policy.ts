import { deniedBy, type DeniedPattern } from "./denied_paths.ts";

/**
 * Limits of the file tools. Every path is absolute, real (links followed)
 * and without a final slash but for `/`; nothing outside the roots is allowed,
 * and a deny inside a root wins over the root.
 */
export interface PathPolicy {
  readRoots: readonly string[];
  writeRoots: readonly string[];
  /** Patterns that rules of the user forbid. Default none. */
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

/** The reason why a real path may not be read, or written or made; undefined when it may. */
export function decideAccess(
  policy: PathPolicy,
  access: "read" | "write",
  realPath: string,
): string | undefined {
  const quoted = JSON.stringify(realPath);
  const denied = deniedBy(policy.deniedPatterns, access, realPath);
  if (denied) {
    const doing = access === "read" ? "reading" : "writing";
    return `${doing} ${quoted} is denied by the rule ${denied.rule}`;
  }
  const roots = access === "read" ? policy.readRoots : policy.writeRoots;
  const root = rootOf(roots, realPath);
  if (root === undefined) {
    return `outside the workspace (${quoted}); allowed roots: ${
      roots.join(", ") || "none"
    }`;
  }
  const secret = secretOf(policy, root, realPath);
  if (secret !== undefined) {
    return `${JSON.stringify(secret)} may hold secrets; ask the user for it`;
  }
  if (access === "read") return undefined;
  const name = nameOfProtected(policy, root, realPath);
  return name === undefined
    ? undefined
    : `${
      JSON.stringify(name)
    } is protected, since it can start programs or change permissions; ask the user to change it`;
}

/** True when a path below the write roots is protected, whatever rules say. */
export function isProtected(policy: PathPolicy, realPath: string): boolean {
  if (deniedBy(policy.deniedPatterns, "write", realPath)) return false;
  const root = rootOf(policy.writeRoots, realPath);
  return root !== undefined &&
    nameOfProtected(policy, root, realPath) !== undefined;
}

/** True when `path` is `root` or lies below it; both absolute, compared part by part. */
export function isInside(root: string, path: string): boolean {
  return path === root ||
    path.startsWith(root.endsWith("/") ? root : `${root}/`);
}

function nameOfProtected(
  { protectedPaths }: PathPolicy,
  root: string,
  realPath: string,
): string | undefined {
  return protectedName(root, realPath) ??
    protectedPaths?.find((path) => isInside(path, realPath));
}

/** The secret place that holds a path. A root inside a secret folder was named by the user and counts. */
function secretOf(
  { secrets = [] }: PathPolicy,
  root: string,
  path: string,
): string | undefined {
  const secret = rootOf(secrets, path);
  return secret !== undefined && secret.length > root.length
    ? secret
    : undefined;
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
