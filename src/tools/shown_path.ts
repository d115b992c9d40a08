import { joinPath, relativePath } from "../operations/lexical_path.ts";

/**
 * A path as search results name it: from the working folder on when it lies
 * there, so that it can be given to other tools as it is, and quoted when it
 * holds control characters, so that it cannot look like several. `./` keeps a
 * name that begins like a mention, a home folder or a URL from being taken for one.
 */
export function shownPath(
  path: string,
  { root, cwd }: { root: string; cwd: string },
): string {
  const absolute = path === "" ? root : joinPath(root, path);
  const relative = relativePath(cwd, absolute);
  const shown = /^(?:@|~(?:\/|$)|file:\/\/)/.test(relative)
    ? `./${relative}`
    : relative;
  // deno-lint-ignore no-control-regex -- control characters are what it looks for
  return /[\x00-\x1f\x7f]/.test(shown) ? JSON.stringify(shown) : shown;
}
