import { childEnvironment } from "../policy/environment.ts";
import type { PermissionPolicy } from "../policy/permission_policy.ts";
import type { PermissionRule } from "../policy/permission_rule.ts";
import type { GrantedCapabilities } from "../protocol/result_schema.ts";
import { bubblewrapCommand } from "../sandbox/bubblewrap.ts";
import { kernelFlags } from "../sandbox/kernel_flags.ts";
import { planMounts } from "../sandbox/mount_plan.ts";
import { tauHome } from "../settings/tau_home.ts";
import { type Confinement, writeFilter } from "./confinement.ts";
import { existingMatches } from "./existing_matches.ts";
import { filePath } from "./file_path.ts";
import type { KernelLaunch, KernelProgram } from "./kernel_program.ts";
import { KernelCache } from "./kernel_cache.ts";
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

/** Folders in which other programs leave sockets and files. */
const RUNTIME_FOLDERS = ["/run", "/var/run", "/var/tmp", "/dev/shm"];
/** Existing paths below them that programs need all the same: on NixOS the system itself. */
const KEPT = ["/run/current-system", "/run/opengl-driver"];
/** Names the servers of names; a link into a runtime folder on many systems. */
const RESOLVER = "/etc/resolv.conf";

/** Computes how the kernel of a run is started. Throws a `UsageError` for a path that is none. */
export function planLaunch(
  { permissions = {}, kernel: program, env, kernelHeapMb, providers }: Pick<
    RunOptions,
    "permissions" | "kernel" | "env" | "kernelHeapMb" | "providers"
  >,
  facts: LaunchFacts,
): KernelLaunch {
  const { cwd, outputDir, readable, rules, sessionFile, canRun, marker } =
    facts;
  const { bubblewrap } = facts.confinement;
  const isConfined = bubblewrap !== undefined;
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
  const flagsOf = (keepsCode: boolean) =>
    kernelFlags({
      policy: policy.tools,
      net: policy.net,
      canRun,
      cwd,
      programDir: filePath(new URL("..", program.entry)),
      environment: Object.keys(environment),
      heapMb: kernelHeapMb,
      keepsCode,
    });
  const { unixSockets } = policy.children;
  const filter = isConfined
    ? writeFilter({ unixSockets }, outputDir)
    : undefined;
  const cache = KernelCache.of(program, tauHome(env));
  const copy = isConfined ? cache?.copyBelow(outputDir) : undefined;
  // Nobody stands between another kernel and Deno's own cache.
  const keepsCode = isConfined ? copy !== undefined : cache !== undefined;
  const canCache = !isConfined || program.config !== undefined ||
    !policy.children.hasPrivateTemp;
  return {
    policy,
    environment,
    cacheVariables: copy ? { DENO_DIR: copy.path } : {},
    pluginVariables: canCache || copy ? {} : PRIVATE_CACHE,
    async warm() {
      if (isConfined && !copy) await cache?.make(flagsOf(true));
    },
    flags: flagsOf(keepsCode),
    hiddenFolders: [
      tauHome(env),
      outputDir.slice(0, outputDir.lastIndexOf("/")),
    ].filter((folder) => folder !== undefined),
    granted: grantedBy(policy, Object.keys(environment)),
    confine: (command) =>
      isConfined
        ? bubblewrapCommand(command, {
          bubblewrap,
          mounts: planMounts({
            policy,
            program: programPaths(program, env),
            runtimeFolders: runtimeFolders(policy, env),
            kept: [...KEPT.filter(isFolder), ...realPaths([RESOLVER])],
            isFolder,
          }),
          cwd,
          net: policy.net,
          filterFile: filter?.path,
        })
        : [...command],
    close: () => filter?.remove(),
    end() {
      filter?.remove();
      copy?.remove();
    },
  };
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
/**
 * Deno translates plugins and wants to keep what came of it. Where its cache
 * cannot be written it tries for 150 ms.
 */
const PRIVATE_CACHE = { DENO_DIR: "/tmp/deno" };

const PRIVATE_TEMP = { TMPDIR: "/tmp", TMP: "/tmp", TEMP: "/tmp" };

/** All that a kernel is made of. */
function programPaths(
  program: KernelProgram,
  env: Record<string, string>,
): string[] {
  const { config } = program;
  return [
    ...ownPaths(program, env),
    ...realPaths([
      ...moduleFolders(program),
      ...(config ? [filePath(new URL(".", config))] : []),
    ]),
  ];
}

/** A compiled program has its modules within itself: the folder that it sees around them is nowhere else. */
function moduleFolders({ entry, selfArgument }: KernelProgram): string[] {
  return selfArgument === undefined ? [filePath(new URL("..", entry))] : [];
}

/** Returns the files that the host runs next time: Deno, its cache, and tau's modules, unless they are a project to work on. */
function ownPaths(
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

function runtimeFolders(
  { children }: PermissionPolicy,
  env: Record<string, string>,
): string[] {
  const { XDG_RUNTIME_DIR, TMPDIR } = env;
  return realPaths([
    ...RUNTIME_FOLDERS,
    ...(XDG_RUNTIME_DIR ? [XDG_RUNTIME_DIR] : []),
    ...(children.hasPrivateTemp ? ["/tmp", ...(TMPDIR ? [TMPDIR] : [])] : []),
  ]).filter((path) => !path.startsWith("/dev/"));
}

/** Keeps the paths that exist. */
function realPaths(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    try {
      return [Deno.realPathSync(path)];
    } catch {
      return [];
    }
  });
}

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}
