import type { PermissionPolicy } from "../policy/permission_policy.ts";
import { bubblewrapCommand } from "../sandbox/bubblewrap.ts";
import { kernelFlags } from "../sandbox/kernel_flags.ts";
import { planMounts } from "../sandbox/mount_plan.ts";
import { tauHome } from "../settings/tau_home.ts";
import { writeFilter } from "./confinement.ts";
import { filePath } from "./file_path.ts";
import { KernelCache } from "./kernel_cache.ts";
import type { KernelLaunch, KernelProgram } from "./kernel_program.ts";
import {
  type LaunchFacts,
  type LaunchOptions,
  moduleFolders,
  ownPaths,
  realPaths,
  type RunGrants,
} from "./run_grants.ts";

/** Folders in which other programs leave sockets and files. */
const RUNTIME_FOLDERS = ["/run", "/var/run", "/var/tmp", "/dev/shm"];
/** Existing paths below them that programs need all the same: on NixOS the system itself. */
const KEPT = ["/run/current-system", "/run/opengl-driver"];
/** Names the servers of names; a link into a runtime folder on many systems. */
const RESOLVER = "/etc/resolv.conf";

/** Computes how the kernel of a run with these grants is started. */
export function planLaunch(
  { kernel: program, env, kernelHeapMb }: LaunchOptions,
  { policy, environment, granted }: RunGrants,
  { cwd, outputDir, confinement: { bubblewrap }, canRun }: LaunchFacts,
): KernelLaunch {
  const isConfined = bubblewrap !== undefined;
  const flagsOf = (keepsCode: boolean) =>
    kernelFlags({
      policy: policy.tools,
      net: policy.net,
      canRun,
      cwd,
      programDir: filePath(new URL("..", program.entry)),
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
    granted,
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

/**
 * Deno translates plugins and wants to keep what came of it. Where its cache
 * cannot be written it tries for 150 ms.
 */
const PRIVATE_CACHE = { DENO_DIR: "/tmp/deno" };

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

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}
