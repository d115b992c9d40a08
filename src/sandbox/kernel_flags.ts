import type { NetPolicy } from "../policy/net_policy.ts";
import { isInside, type PathPolicy } from "../policy/path_policy.ts";

/** Megabytes of JavaScript heap at which a kernel is ended. */
const DEFAULT_HEAP_MB = 2048;

/**
 * Deno keeps the code that V8 compiles before a program runs: only its
 * outer parts, unless V8 is told not to be lazy. The rest would be compiled at
 * each start, and read again where an error is made, to say in which line.
 */
export const WHOLE_CODE: readonly string[] = [
  "--no-lazy",
  "--no-enable-lazy-source-positions",
];

/**
 * Megabytes for what is new. V8 begins with one, and interrupts a start three
 * times, for a millisecond each, to see what of it is still in use.
 */
export const NEW_SPACE = "--min-semi-space-size=8";

/**
 * V8's linear search for regular expressions: for those with the flag `l`, and
 * for any other that has backtracked for long and is one that it can run.
 */
export const LINEAR_REGEX: readonly string[] = [
  "--enable-experimental-regexp-engine",
  "--enable-experimental-regexp-engine-on-excessive-backtracks",
];

/** The parts that the kernel's Deno flags are computed from. */
export interface KernelFlagOptions {
  policy: PathPolicy;
  /** Default: none. */
  net?: NetPolicy | undefined;
  /** True when it may start programs. Default true. */
  canRun?: boolean | undefined;
  /** The kernel's working folder, absolute and real. */
  cwd: string;
  /** Folder of the program's own modules: some are loaded when they are needed. */
  programDir: string;
  /** Default 2048. */
  heapMb?: number | undefined;
  /** True when Deno finds the code of the kernel compiled, or keeps it. Default false. */
  keepsCode?: boolean | undefined;
}

/**
 * Deno's permission flags of a kernel: the second ring. Paths are lexical in
 * Deno, so the policy's roots must be real. There is no ffi and no prompt;
 * `run` is granted as a whole, since the shell can start anything, and `env`,
 * since the kernel is given an environment of its own in which nothing else is.
 * Who it is, and where its home lies, Node's `fs` and `os` want to know.
 */
export function kernelFlags(
  {
    policy,
    net = "none",
    canRun = true,
    cwd,
    programDir,
    heapMb = DEFAULT_HEAP_MB,
    keepsCode = false,
  }: KernelFlagOptions,
): string[] {
  const grant = (paths: readonly string[]) => pathList(paths, cwd);
  const flags = [
    "--quiet",
    "--no-prompt",
    "--v8-flags=" + [
      ...LINEAR_REGEX,
      `--max-old-space-size=${heapMb}`,
      NEW_SPACE,
      ...(keepsCode ? WHOLE_CODE : []),
    ].join(","),
    `--allow-read=${grant([...policy.readRoots, programDir])}`,
    ...(canRun ? ["--allow-run"] : []),
    ...(net === "all" ? ["--allow-net"] : []),
    "--allow-env",
    "--allow-sys=homedir,uid,gid",
  ];
  if (policy.writeRoots.length > 0) {
    flags.push(`--allow-write=${grant(policy.writeRoots)}`);
  }
  const { secrets = [], protectedPaths = [] } = policy;
  const unread = deniable(secrets, policy.readRoots);
  const unwritten = deniable(
    [...secrets, ...protectedPaths],
    policy.writeRoots,
  );
  if (unread.length > 0) flags.push(`--deny-read=${unread.join(",")}`);
  if (unwritten.length > 0) flags.push(`--deny-write=${unwritten.join(",")}`);
  return flags;
}

/** Paths that a root would grant besides. The more specific of two rules wins in Deno, as it does in the policy. */
function deniable(
  paths: readonly string[],
  roots: readonly string[],
): string[] {
  return paths.filter((path) =>
    !path.includes(",") && !roots.includes(path) &&
    roots.some((root) => isInside(root, path))
  );
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
