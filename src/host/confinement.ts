import { findBubblewrap } from "../sandbox/find_bubblewrap.ts";
import { probeSandbox } from "../sandbox/sandbox_probe.ts";
import { seccompFilter } from "../sandbox/seccomp_filter.ts";
import type { RunOptions } from "./run_options.ts";
import type { SandboxRequest } from "./run_permissions.ts";

/** Confinement of a run by the system. */
export interface Confinement {
  requested: SandboxRequest;
  /** The sandbox; absent where nothing confines. */
  bubblewrap?: string;
  /** Reason why nothing does. */
  reason?: string;
}

/** A run needs a sandbox, and there is none. */
export class SandboxUnavailableError extends Error {
  override name = "SandboxUnavailableError";

  constructor(readonly reason: string) {
    super(`No sandbox, and --sandbox require wants one: ${reason}`);
  }
}

/**
 * What is to confine a run. Whether it can is known when it starts the kernel;
 * {@linkcode whyNoSandbox} says why not. Throws a
 * {@linkcode SandboxUnavailableError} where the run needs a sandbox and there
 * is nothing to make one.
 */
export function confinementOf(
  { permissions = {}, env, bubblewrap }: Pick<
    RunOptions,
    "permissions" | "env" | "bubblewrap"
  >,
  /** Real. */
  cwd: string,
): Confinement {
  const { sandbox: requested = "auto", addDirs = [] } = permissions;
  if (requested === "off") {
    return { requested, reason: "the sandbox is switched off" };
  }
  const os = Deno.build.os;
  if (os !== "linux") {
    return without(requested, `there is no OS sandbox for ${systemName(os)}`);
  }
  const writeRoots = [cwd, ...addDirs];
  const found = bubblewrap ?? findBubblewrap(env.PATH ?? "", { writeRoots });
  return found === undefined
    ? without(requested, "bubblewrap (bwrap) is not installed")
    : { requested, bubblewrap: found };
}

/** Starts a sandbox with nothing in it. Resolves with why there is none, or with nothing where all is well. */
export async function whyNoSandbox(
  bubblewrap: string,
): Promise<string | undefined> {
  const filter = tempFilter();
  try {
    return await probeSandbox({ bubblewrap, filterFile: filter?.path });
  } finally {
    filter?.remove();
  }
}

/** Without a temporary folder no run gets far, and says so itself. */
function tempFilter(): ReturnType<typeof writeFilter> {
  try {
    return writeFilter({ unixSockets: false });
  } catch {
    return undefined;
  }
}

/** The filter of system calls as a file that a sandbox reads when it starts; none for a processor that has none. */
export function writeFilter(
  options: { unixSockets: boolean },
  /** Default: that for temporary files. */
  dir?: string,
): { path: string; remove(): void } | undefined {
  const program = seccompFilter(Deno.build.arch, options);
  if (!program) return undefined;
  const path = Deno.makeTempFileSync({
    prefix: "tau-filter-",
    ...(dir === undefined ? {} : { dir }),
  });
  Deno.writeFileSync(path, program);
  return {
    path,
    remove() {
      try {
        Deno.removeSync(path);
      } catch {
        // Somebody tidied up.
      }
    },
  };
}

function without(requested: SandboxRequest, reason: string): Confinement {
  if (requested === "auto") return { requested, reason };
  throw new SandboxUnavailableError(reason);
}

function systemName(os: typeof Deno.build.os): string {
  if (os === "darwin") return "macOS yet";
  return os === "windows" ? "Windows yet" : os;
}
