import { isInside } from "../policy/path_policy.ts";
import type { PermissionPolicy } from "../policy/permission_policy.ts";

/** The state of a place of the file system inside a sandbox. */
export type MountKind =
  | "read-only"
  | "writable"
  /** An empty folder, gone with the sandbox. */
  | "empty folder"
  /** Nobody can open it. */
  | "closed file"
  | "processes"
  | "devices";

/** A place that differs from the folder that it lies in. */
export interface Mount {
  path: string;
  kind: MountKind;
}

/** Parts of a plan of mounts. All paths are absolute and real. */
export interface MountPlanOptions {
  policy: PermissionPolicy;
  /** Paths that must be readable wherever they are: the program and its modules. */
  program: readonly string[];
  /** Existing folders in which other programs leave sockets and files. */
  runtimeFolders: readonly string[];
  /** Paths among those that are needed all the same, where they exist. */
  kept: readonly string[];
  isFolder(path: string): boolean;
}

/**
 * The file system as children see it, each place before what lies in it: a
 * read-only system without secrets, the runtime folders of other programs and,
 * in profile `strict`, the home folder; writable roots with their protected
 * names read-only. A root in the midst of what is hidden is seen.
 */
export function planMounts(options: MountPlanOptions): Mount[] {
  const { policy, program, runtimeFolders, kept, isFolder } = options;
  const { children, secrets, home, protectedPaths } = policy;
  const plan = new Map<string, MountKind>([["/", "read-only"]]);
  const hide = (path: string) =>
    plan.set(path, isFolder(path) ? "empty folder" : "closed file");

  runtimeFolders.forEach(hide);
  // In a container it may be the root of the file system.
  if (home !== undefined && home !== "/" && !children.seesHome) hide(home);
  secrets.forEach(hide);
  for (const root of children.writeRoots) plan.set(root, "writable");
  for (const root of children.readRoots) {
    if (kindAt(plan, root) !== "writable") plan.set(root, "read-only");
  }
  for (const path of [...program, ...kept]) {
    if (isHidden(kindAt(plan, path))) plan.set(path, "read-only");
  }
  for (const path of protectedPaths) {
    const root = children.writeRoots.find((one) => isInside(one, path));
    if (root === undefined || kindAt(plan, path) !== "writable") continue;
    // Else the folder could be moved away, with what is protected in it.
    const holder = holderOf(path, root);
    if (holder !== undefined && !plan.has(holder)) plan.set(holder, "writable");
    plan.set(path, "read-only");
  }
  plan.set("/proc", "processes");
  // To root, also one without a privilege, the system's settings are files of its own.
  for (const settings of ["/proc/sys", "/sys"]) {
    if (isFolder(settings)) plan.set(settings, "read-only");
  }
  plan.set("/dev", "devices");
  for (const [path, kind] of plan) {
    // They are the sandbox's own: the system's are other ones, and gone with their process.
    const isOwn = path.startsWith("/proc/") ||
      (path.startsWith("/dev/") && !isFolder(path));
    if (isOwn && !isHidden(kind) && path !== "/proc/sys") plan.delete(path);
  }
  return [...plan]
    .filter(([path, kind]) => changes(plan, path, kind))
    .map(([path, kind]) => ({ path, kind }))
    .sort((a, b) => depth(a.path) - depth(b.path));
}

/** The folder below the root that a protected path lies in. */
function holderOf(path: string, root: string): string | undefined {
  const base = root === "/" ? "/" : `${root}/`;
  const [first = "", ...rest] = path.slice(base.length).split("/");
  return rest.length > 0 ? `${base}${first}` : undefined;
}

/** The state of a place by the nearest folder of the plan. */
function kindAt(
  plan: ReadonlyMap<string, MountKind>,
  path: string,
): MountKind | undefined {
  for (let at = path; at !== "";) {
    const kind = plan.get(at);
    if (kind !== undefined) return kind;
    at = at.slice(0, at.lastIndexOf("/"));
  }
  return plan.get("/");
}

/** True where a mount is needed: not for what is hidden in something hidden, nor for what is read-only in a read-only folder. */
function changes(
  plan: ReadonlyMap<string, MountKind>,
  path: string,
  kind: MountKind,
): boolean {
  if (path === "/" || kind === "writable") return true;
  const parent = kindAt(plan, path.slice(0, path.lastIndexOf("/")));
  return isHidden(kind) ? !isHidden(parent) : kind !== parent;
}

function isHidden(kind: MountKind | undefined): boolean {
  return kind === "empty folder" || kind === "closed file";
}

function depth(path: string): number {
  return path === "/" ? 0 : path.split("/").length;
}
