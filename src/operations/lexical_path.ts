// Absolute paths as text. `node:path` would do the same but costs start-up
// time. On Windows a path begins with a drive, and a backslash is a separator;
// network shares are not known.
const onWindows = Deno.build.os === "windows";

/** True when a path begins at a root: `/a`, on Windows also `C:\a`. */
export function isAbsolutePath(path: string): boolean {
  return path.startsWith("/") || onWindows && /^[A-Za-z]:[\\/]/.test(path);
}

/**
 * An absolute path without `.`, `..`, empty parts and a final slash. `..` goes
 * up by name, without regard to links.
 */
export function normalizePath(path: string): string {
  const text = onWindows ? path.replaceAll("\\", "/") : path;
  const root = rootOf(text);
  const parts: string[] = [];
  for (const part of text.slice(root.length).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return root + parts.join("/");
}

/** `path` as seen from the absolute folder `base`; an absolute path stays itself. Normalized. */
export function joinPath(base: string, path: string): string {
  return normalizePath(isAbsolutePath(path) ? path : `${base}/${path}`);
}

/** The folder that holds a normalized path; a root is its own. */
export function parentPath(path: string): string {
  const root = rootOf(path);
  const slash = path.lastIndexOf("/");
  return slash < root.length ? root : path.slice(0, slash);
}

/** The last part of a normalized path; empty for a root. */
export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/") + 1, rootOf(path).length));
}

/**
 * A normalized path as seen from a normalized folder: `.` for the folder
 * itself, the path unchanged when it lies elsewhere.
 */
export function relativePath(folder: string, path: string): string {
  if (path === folder) return ".";
  const prefix = folder.endsWith("/") ? folder : folder + "/";
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

function rootOf(path: string): string {
  return onWindows && /^[A-Za-z]:\//.exec(path)?.[0] || "/";
}
