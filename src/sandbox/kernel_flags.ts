import type { PathPolicy } from "../policy/mod.ts";

/** Megabytes of JavaScript heap at which a kernel is ended. */
const DEFAULT_HEAP_MB = 2048;

/** What the kernel's Deno flags are computed from. */
export interface KernelFlagOptions {
  policy: PathPolicy;
  /** The kernel's working folder, absolute and real. */
  cwd: string;
  /** Folder of the program's own modules: some are loaded when they are needed. */
  programDir: string;
  /** Names of environment variables that code in the kernel may read. */
  environment: readonly string[];
  /** Default 2048. */
  heapMb?: number | undefined;
}

/**
 * Deno's permission flags of a kernel: the second ring. Paths are lexical in
 * Deno, so the policy's roots must be real. There is no network, no ffi, no
 * prompt; `run` is granted as a whole, since the shell can start anything.
 */
export function kernelFlags(
  { policy, cwd, programDir, environment, heapMb = DEFAULT_HEAP_MB }:
    KernelFlagOptions,
): string[] {
  const grant = (paths: readonly string[]) => pathList(paths, cwd);
  const flags = [
    "--quiet",
    "--no-prompt",
    "--v8-flags=" + [
      // A pattern that would backtrack for ever is run by a linear engine.
      "--enable-experimental-regexp-engine-on-excessive-backtracks",
      `--max-old-space-size=${heapMb}`,
    ].join(","),
    `--allow-read=${grant([...policy.readRoots, programDir])}`,
    "--allow-run",
    `--allow-env=${environment.join(",")}`,
  ];
  if (policy.writeRoots.length > 0) {
    flags.push(`--allow-write=${grant(policy.writeRoots)}`);
  }
  return flags;
}

/** Deno's list of paths. It has no way to write a comma, but the working folder has another name. */
function pathList(paths: readonly string[], cwd: string): string {
  return paths.map((path) => {
    if (path === cwd) return ".";
    if (!path.includes(",")) return path;
    throw new Error(
      `Cannot grant "${path}" to the kernel: Deno takes no path with a comma`,
    );
  }).join(",");
}
