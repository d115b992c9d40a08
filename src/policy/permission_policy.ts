import type { NetPolicy } from "./net_policy.ts";
import { isInside, type PathPolicy } from "./path_policy.ts";

/** Amount that a run may touch, in one word. */
export type Profile = typeof PROFILES[number];

/** The names of {@linkcode Profile}. */
export const PROFILES = ["read-only", "strict", "workspace", "full"] as const;

/**
 * Limits of a run, as data: the file tools ask it, Deno's flags and the
 * sandbox's arguments are made of it, and `tau permissions` prints it. All
 * paths are absolute and real, and exist.
 */
export interface PermissionPolicy {
  profile: Profile;
  /** The file tools, and as far as its roots go the code of the kernel. */
  tools: PathPolicy;
  /** The commands that tools start. */
  children: {
    /** They read the system, and these folders wherever they are. */
    readRoots: readonly string[];
    writeRoots: readonly string[];
    /** They read the home folder, but for the secrets. */
    seesHome: boolean;
    /** They have a temporary folder of their own in place of the system's. */
    hasPrivateTemp: boolean;
    /** They may open unix sockets, which lead to other programs. */
    unixSockets: boolean;
  };
  /** Absent where there is none. */
  home: string | undefined;
  /** Hidden from children, refused by file tools. */
  secrets: readonly string[];
  /** Files and folders below write roots that stay as they are. */
  protectedPaths: readonly string[];
  net: NetPolicy;
}

/** Parts of a policy. All paths are absolute, real, and exist. */
export interface PolicyFacts {
  profile: Profile;
  cwd: string;
  /** More folders to work in. */
  addDirs: readonly string[];
  /** Folders that hold the repository's data. */
  gitFolders: readonly string[];
  /** The folder of its files, which commands read. */
  repository?: string | undefined;
  allowRead: readonly string[];
  allowWrite: readonly string[];
  /** More paths for tools to read: skills, plugins. */
  readable: readonly string[];
  /** The private folder for long outputs. */
  outputDir: string;
  home: string | undefined;
  secrets: readonly string[];
  protectedPaths: readonly string[];
  /** Default: as the profile says. */
  net?: NetPolicy | undefined;
  unixSockets: boolean;
  /** The temporary folder that children have for themselves, where ring 3 stands. */
  privateTemp: string | undefined;
}

/** The policy of a run. */
export function composePolicy(facts: PolicyFacts): PermissionPolicy {
  const { profile, cwd, home, secrets, outputDir } = facts;
  const workspace = distinct([cwd, ...facts.addDirs, ...facts.gitFolders]);
  const writes = profile === "full"
    ? ["/"]
    : profile === "read-only"
    ? facts.allowWrite
    : [...workspace, ...facts.allowWrite];
  const temp = facts.privateTemp;
  const hasPrivateTemp = profile !== "full" && temp !== undefined;
  // A workspace below it is the real one, and what lies beside it is hidden.
  const toolTemp = hasPrivateTemp && profile !== "read-only" &&
      !writes.some((root) => root.startsWith(`${temp}/`))
    ? [temp]
    : [];
  const writeRoots = needed([...writes, outputDir, ...toolTemp], secrets);
  const protectedPaths = facts.protectedPaths.filter((path) =>
    [...writes, ...writeRoots].some((root) => isInside(root, path))
  );
  const readRoots = needed([
    ...(profile === "full" ? ["/"] : []),
    ...workspace,
    ...facts.allowRead,
    ...facts.readable,
    ...writeRoots,
  ], secrets);
  return {
    profile,
    tools: { readRoots, writeRoots, secrets, protectedPaths },
    children: {
      readRoots: distinct([
        ...(facts.repository === undefined ? [] : [facts.repository]),
        ...workspace,
        ...facts.allowRead,
        ...facts.readable,
      ]),
      writeRoots: distinct([...writes, outputDir]),
      seesHome: profile !== "strict",
      hasPrivateTemp,
      unixSockets: facts.unixSockets,
    },
    home,
    secrets,
    protectedPaths,
    net: facts.net ?? (profile === "full" ? "all" : "none"),
  };
}

/** Roots without those that another one holds anyway; one in the midst of secrets is not held. */
function needed(
  roots: readonly string[],
  secrets: readonly string[],
): string[] {
  return distinct(roots).filter((path) =>
    !roots.some((root) =>
      root !== path && isInside(root, path) &&
      !secrets.some((one) => isInside(root, one) && isInside(one, path))
    )
  );
}

function distinct(paths: readonly string[]): string[] {
  return [...new Set(paths)];
}
