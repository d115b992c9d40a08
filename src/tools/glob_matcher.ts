import { ToolError } from "../agent/tool_error.ts";

const MAX_GLOB = 1000;

/**
 * Matches paths, relative and with `/`, against a glob. One without a slash is
 * matched against the last part of the path, at any depth. `**` also stands for
 * no folder at all. Rejects with a `ToolError` for a glob that could take too long.
 */
export async function globMatcher(
  glob: string,
  { ignoreCase = false } = {},
): Promise<(path: string) => boolean> {
  const pattern = glob.replace(/^(?:\.\/)+/, "")
    // Not the groups and repetitions of regular expressions: names hold these.
    .replace(/\\[^]|[()+]/g, (text) => text.length > 1 ? text : `\\${text}`);
  const fault = faultOf(pattern);
  if (fault !== undefined) {
    throw new ToolError(`Invalid glob ${JSON.stringify(glob)}: ${fault}`);
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

function faultOf(pattern: string): string | undefined {
  if (pattern === "") return "it is empty";
  if (pattern.split("/").some((part) => part === "." || part === "..")) {
    return 'it holds "." or ".."; name the folder to look in with path';
  }
  return pattern.length > MAX_GLOB || hasTooManyChoices(pattern)
    ? "too many wildcards or too long"
    : undefined;
}

/** Each wildcard may try every length, and all of them together every combination; real globs have few. */
function hasTooManyChoices(pattern: string): boolean {
  const parts = pattern.split("/");
  return parts.filter((part) => part.includes("**")).length > 4 ||
    pattern.split("{").length - 1 > 8 ||
    parts.some((part) => (part.match(/\*+/g)?.length ?? 0) > 4);
}
