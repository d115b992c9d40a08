import { childEnvironment } from "../policy/environment.ts";
import type { PermissionPolicy } from "../policy/permission_policy.ts";
import type { PermissionRule } from "../policy/permission_rule.ts";
import type { GrantedCapabilities } from "../protocol/result_schema.ts";
import { tauHome } from "../settings/tau_home.ts";
import type { Confinement } from "./confinement.ts";
import { existingMatches } from "./existing_matches.ts";
import { filePath } from "./file_path.ts";
import type { KernelProgram } from "./kernel_program.ts";
import { passedVariables } from "./passed_variables.ts";
import type { RunOptions } from "./run_options.ts";
import { runPolicy } from "./run_permissions.ts";

/** Facts about a run, beside its options, that decide how its kernel is started. */
export interface LaunchFacts {
  /** Real. */
  cwd: string;
  outputDir: string;
  /** Folders that the tools read besides. */
  readable: readonly string[];
  /** Hidden, where it is there already. */
  sessionFile: string | undefined;
  confinement: Confinement;
  /** `TAU_RUN`. */
  marker: string;
  /** Those that deny paths hold for commands, too, as far as the paths exist. */
  rules: readonly PermissionRule[];
  /** True where tools start commands. */
  canRun: boolean;
}

/** Grants of a run, known before any kernel is started. */
export interface RunGrants {
  policy: PermissionPolicy;
  /** The whole environment of a kernel and of what it starts. */
  environment: Record<string, string>;
  /** Grants, as the record tells them. */
  granted: GrantedCapabilities;
}

/** Options of a run that decide how its kernels are started. */
export type LaunchOptions = Pick<
  RunOptions,
  "permissions" | "kernel" | "env" | "kernelHeapMb" | "providers"
>;

/** Computes what a run may touch. Throws a `UsageError` for a path that is none. */
export function planGrants(
  { permissions = {}, kernel: program, env, providers }: LaunchOptions,
  facts: LaunchFacts,
): RunGrants {
  const { cwd, outputDir, readable, rules, sessionFile, marker } = facts;
  const isConfined = facts.confinement.bubblewrap !== undefined;
  const denied = existingMatches(rules, cwd);
  const policy = runPolicy(permissions, {
    cwd,
    outputDir,
    readable,
    homeDir: env.HOME ?? env.USERPROFILE,
    tauHome: tauHome(env),
    hidden: [
      ...(sessionFile === undefined ? [] : [sessionFile]),
      ...denied.read,
    ],
    frozen: [
      ...denied.write,
      ...ownSettings(env),
      ...(permissions.profile === "full" ? [] : ownPaths(program, env)),
    ],
  }, { isConfined });
  const environment = {
    ...childEnvironment(env, passedVariables(permissions.passEnv, providers)),
    TAU_RUN: marker,
    ...(policy.children.hasPrivateTemp ? PRIVATE_TEMP : {}),
    ...(isConfined ? GIT_IN_ROOTS : {}),
  };
  const granted = grantedBy(policy, Object.keys(environment));
  return { policy, environment, granted };
}

function grantedBy(
  { profile, tools, children, net }: PermissionPolicy,
  environment: string[],
): GrantedCapabilities {
  return {
    profile,
    read: [...tools.readRoots],
    write: [...tools.writeRoots],
    commandsWrite: [...children.writeRoots],
    net: typeof net === "string" ? net : [...net],
    environment: environment.sort(),
  };
}

/** Each root is a file system of its own for git, which would not look beyond. */
const GIT_IN_ROOTS = { GIT_DISCOVERY_ACROSS_FILESYSTEM: "1" };
const PRIVATE_TEMP = { TMPDIR: "/tmp", TMP: "/tmp", TEMP: "/tmp" };

/** A compiled program has its modules within itself: the folder that it sees around them is nowhere else. */
export function moduleFolders(
  { entry, selfArgument }: KernelProgram,
): string[] {
  return selfArgument === undefined ? [filePath(new URL("..", entry))] : [];
}

/** Returns the files that the host runs next time: Deno, its cache, and tau's modules, unless they are a project to work on. */
export function ownPaths(
  program: KernelProgram,
  { DENO_DIR, XDG_CACHE_HOME, HOME }: Record<string, string>,
): string[] {
  const cache = DENO_DIR ??
    (XDG_CACHE_HOME ? `${XDG_CACHE_HOME}/deno` : `${HOME}/.cache/deno`);
  return realPaths([
    Deno.execPath(),
    cache,
    ...(program.config ? [] : moduleFolders(program)),
  ]);
}

/** Files that say how much later runs may touch, also for a run in `TAU_HOME` itself. */
function ownSettings(env: Record<string, string>): string[] {
  const home = tauHome(env);
  return home === undefined
    ? []
    : realPaths([`${home}/settings.json`, `${home}/trust.json`]);
}

/** Keeps the paths that exist. */
export function realPaths(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    try {
      return [Deno.realPathSync(path)];
    } catch {
      return [];
    }
  });
}
