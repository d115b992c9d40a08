import { isInside } from "../policy/path_policy.ts";

/** The place where systems put it, before anything that a search path names. */
const USUAL = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"];

/**
 * The real path of bubblewrap: where systems put it, else in a folder of
 * `PATH`. One that the run could write is none, and so is one that another
 * user than this one or root owns: it would confine nothing.
 */
export function findBubblewrap(
  searchPath: string,
  { writeRoots, usual = USUAL }: {
    writeRoots: readonly string[];
    /** Default: `/usr/bin`, `/usr/local/bin`, `/bin`. */
    usual?: readonly string[];
  },
): string | undefined {
  const named = searchPath.split(":")
    .filter((folder) => folder.startsWith("/"))
    .map((folder) => `${folder}/bwrap`);
  for (const path of [...usual, ...named]) {
    const real = trusted(path);
    if (real === undefined) continue;
    if (writeRoots.some((root) => root !== "/" && isInside(root, real))) {
      continue;
    }
    return real;
  }
  return undefined;
}

const OTHERS_WRITE = 0o022;
const EXECUTABLE = 0o111;

function trusted(path: string): string | undefined {
  try {
    const real = Deno.realPathSync(path);
    const { isFile, mode, uid } = Deno.statSync(real);
    const bits = mode ?? 0;
    const isOurs = uid === 0 || uid === Deno.uid();
    return isFile && isOurs && (bits & EXECUTABLE) !== 0 &&
        (bits & OTHERS_WRITE) === 0
      ? real
      : undefined;
  } catch {
    // It is not there, or not for us.
    return undefined;
  }
}
