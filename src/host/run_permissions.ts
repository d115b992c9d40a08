import type { NetPolicy } from "../policy/net_policy.ts";
import { isInside } from "../policy/path_policy.ts";
import {
  composePolicy,
  type PermissionPolicy,
  type Profile,
} from "../policy/permission_policy.ts";
import { HOME_SECRETS, SYSTEM_SECRETS } from "../policy/secrets.ts";
import { UsageError } from "../settings/usage_error.ts";
import { gitFolders } from "./git_folders.ts";
import { presentPaths } from "./present_paths.ts";
import { existingProtectedPaths } from "./protected_paths.ts";

/** Permissions that the user asks for. */
export interface PermissionOptions {
  /** Default `workspace`. */
  profile?: Profile | undefined;
  /** More folders to work in; from where tau was started. */
  addDirs?: readonly string[] | undefined;
  /** Files and folders. */
  allowRead?: readonly string[] | undefined;
  /** Folders. */
  allowWrite?: readonly string[] | undefined;
  /** Default: as the profile says. */
  net?: NetPolicy | undefined;
  /** Names of variables that commands get besides. */
  passEnv?: readonly string[] | undefined;
  /** Confinement of children by the system: where it can be, or else the run fails, or never. Default `auto`. */
  sandbox?: SandboxRequest | undefined;
  /** Children may open unix sockets. Default false. */
  unixSockets?: boolean | undefined;
}

/** The user's wish for a sandbox. */
export type SandboxRequest = "auto" | "require" | "off";

/** Facts about a run that its permissions depend on; paths are real. */
export interface PermissionFacts {
  cwd: string;
  homeDir: string | undefined;
  /** `TAU_HOME`, hidden but for what is listed here. */
  tauHome: string | undefined;
  outputDir: string;
  /** Folders that the tools read besides. */
  readable: readonly string[];
  /** Files that are nobody's business inside, such as the session's. */
  hidden: readonly string[];
  /** Paths that stay as they are, beside files that start programs. */
  frozen: readonly string[];
}

/** The temporary folder that children have for themselves. */
const PRIVATE_TEMP = "/tmp";

/** Names in `TAU_HOME` that are seen inside. */
const OF_TAU_HOME = ["plugins", "skills", "prompts"];

/** The policy of a run, for children that are confined or not. Throws {@linkcode UsageError} for a path that is none. */
export function runPolicy(
  options: PermissionOptions,
  facts: PermissionFacts,
  { isConfined }: { isConfined: boolean },
): PermissionPolicy {
  const { profile = "workspace", net, unixSockets = false } = options;
  const { cwd, outputDir } = facts;
  const home = realPath(facts.homeDir);
  const tauHome = realPath(facts.tauHome);
  const named = (option: string, paths: readonly string[] = []) =>
    paths.map((path) => namedPath(option, path, cwd));
  const addDirs = named("--add-dir", options.addDirs);
  const allowWrite = named("--allow-write", options.allowWrite);
  // Deno has no way to grant a path with a comma, and git can do without.
  const { top, folders } = gitFolders(cwd);
  const git = folders.filter((path) =>
    path.startsWith(`${cwd}/`) || !path.includes(",")
  );
  const roots = [
    ...[cwd, ...addDirs, ...allowWrite],
    ...(profile === "full" && home !== undefined ? [home] : []),
  ];
  const kept = OF_TAU_HOME.map((name) => tauHome && `${tauHome}/${name}`);
  return composePolicy({
    profile,
    cwd,
    addDirs,
    gitFolders: git,
    repository: top,
    allowRead: named("--allow-read", options.allowRead),
    allowWrite,
    readable: [
      ...facts.readable,
      ...kept.map(realPath).filter((path) => path !== undefined),
    ],
    outputDir,
    home,
    secrets: existing([
      ...(home === undefined ? [] : presentPaths(home, HOME_SECRETS)),
      ...presentPaths("/", SYSTEM_SECRETS.map((path) => path.slice(1))),
      tauHome,
      ...facts.hidden,
    ]),
    protectedPaths: [...existingProtectedPaths(roots, git), ...facts.frozen],
    net,
    unixSockets,
    privateTemp: isConfined ? PRIVATE_TEMP : undefined,
  });
}

function namedPath(option: string, path: string, cwd: string): string {
  const real = realPath(path);
  const why = real === undefined
    ? "no such file or folder"
    : real.includes(",") && !isInside(cwd, real)
    ? "Deno can grant no path with a comma, but to work in (-C)"
    : undefined;
  if (real !== undefined && why === undefined) return real;
  throw new UsageError(`Cannot use ${option} ${JSON.stringify(path)}: ${why}`);
}

function existing(paths: readonly (string | undefined)[]): string[] {
  const real = paths.map(realPath).filter((path) => path !== undefined);
  return [...new Set(real)];
}

/** Undefined for what is not there, or cannot be looked at: then children cannot either. */
function realPath(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return Deno.realPathSync(path);
  } catch {
    return undefined;
  }
}
