import { isAbsolutePath, joinPath } from "../operations/lexical_path.ts";
import { ToolError } from "../agent/tool_error.ts";

const UNICODE_SPACES = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;

/** Folders that a path of an argument starts from. */
export interface ResolvePathOptions {
  /** Absolute. */
  cwd: string;
  /** Stands in for `~`; without it such a path is refused. */
  homeDir?: string | undefined;
}

/**
 * The absolute path that a model means. Unicode spaces count as spaces, one
 * leading `@` is dropped, `~` and `file:` URLs are understood, the rest is
 * relative to `cwd`. Throws a `ToolError` for what cannot be a path.
 */
export function resolvePath(path: string, options: ResolvePathOptions): string {
  const text = path.replace(UNICODE_SPACES, " ").replace(/^@/, "");
  const local = text.startsWith("file://") ? fromFileUrl(text) : text;
  if (local.includes("\0")) {
    throw new ToolError("Cannot resolve the path: it holds a NUL character");
  }
  if (!local.isWellFormed()) {
    throw new ToolError(
      "Cannot resolve the path: it holds half a surrogate pair, which is not text",
    );
  }
  if (local !== "~" && !local.startsWith("~/")) {
    return joinPath(options.cwd, local);
  }
  if (options.homeDir === undefined) {
    throw new ToolError(
      `Cannot resolve "${path}": no home folder is known; give an absolute path`,
    );
  }
  return joinPath(options.homeDir, local.slice(2));
}

/**
 * Other spellings of an absolute path under which a file may be stored that a
 * model wants to read: macOS writes a narrow no-break space before AM and PM,
 * decomposed accents, and curly apostrophes.
 */
export function readPathVariants(path: string): string[] {
  const decomposed = path.normalize("NFD");
  const variants = [
    path.replace(/ (AM|PM)\./g, "\u202f$1."),
    decomposed,
    path.replaceAll("'", "\u2019"),
    decomposed.replaceAll("'", "\u2019"),
  ];
  return [...new Set(variants)].filter((variant) => variant !== path);
}

function fromFileUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || url.host !== "") {
    throw new ToolError(`Cannot resolve "${text}": not a local file URL`);
  }
  try {
    const path = decodeURIComponent(url.pathname);
    // On Windows the drive of file:///C:/a stands behind a slash.
    return isAbsolutePath(path.slice(1)) ? path.slice(1) : path;
  } catch {
    throw new ToolError(`Cannot resolve "${text}": bad percent encoding`);
  }
}
