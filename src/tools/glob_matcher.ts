import { ToolError } from "../sdk/mod.ts";

const MAX_GLOB = 1000;

/** Settings of {@linkcode globMatcher}. */
export interface GlobOptions {
  /** Without regard to case. Default false. */
  ignoreCase?: boolean;
}

/**
 * Matches paths, relative and with `/`, against a glob. One without a slash is
 * matched against the last part of the path, at any depth. `**` also stands for
 * no folder at all. Rejects with a `ToolError` for a glob that could take too long.
 */
export async function globMatcher(
  glob: string,
  { ignoreCase = false }: GlobOptions = {},
): Promise<(path: string) => boolean> {
  const pattern = glob.replace(/^(?:\.\/)+/, "");
  // Each wildcard of a part may try every length; real globs have few.
  const tooMany = pattern.split("/").some((part) =>
    (part.match(/\*+/g)?.length ?? 0) > 4
  );
  if (tooMany || pattern.length > MAX_GLOB) {
    throw new ToolError(
      `Invalid glob ${JSON.stringify(glob)}: too many wildcards or too long`,
    );
  }
  const { default: picomatch } = await import("picomatch");
  const matches = picomatch(pattern, {
    posix: true,
    dot: true,
    nocase: ignoreCase,
    // Groups such as +(a|a*) are the ones that can take for ever.
    noextglob: true,
  });
  return pattern.includes("/")
    ? (path) => matches(path)
    : (path) => matches(path.slice(path.lastIndexOf("/") + 1));
}
