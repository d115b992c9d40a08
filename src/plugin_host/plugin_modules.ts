import type { PluginSource } from "./find_plugins.ts";

/** The text of each of a plugin's own modules, by its path. */
export type PluginModules = ReadonlyMap<string, string>;

/** Modules of one plugin, and characters of all of them; what is beyond is not watched. */
const MAX_MODULES = 256;
const MAX_LENGTH = 8 * 1024 * 1024;

/** Relative specifiers of imports; may match text that is no import. */
const SPECIFIER = /(?:\bfrom|\bimport)\s*\(?\s*(["'])(\.{1,2}\/[^"'\n]+)\1/g;

/**
 * Reads the entry of a plugin and all that it imports by relative addresses,
 * JSON included. What cannot be read is left out: the import will say why.
 */
export async function readPluginModules(
  { entry }: PluginSource,
): Promise<PluginModules> {
  const modules = new Map<string, string>();
  let length = 0;
  const open = [entry];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (modules.has(path) || modules.size >= MAX_MODULES) continue;
    const text = await textOf(path);
    if (text === undefined) continue;
    length += text.length;
    if (length > MAX_LENGTH) break;
    modules.set(path, text);
    if (path.endsWith(".json")) continue;
    for (const [, , specifier = ""] of text.matchAll(SPECIFIER)) {
      const imported = pathFrom(path, specifier);
      if (imported !== undefined) open.push(imported);
    }
  }
  return modules;
}

/** Undefined for what is not a string, or cannot be read. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    const bytes = await Deno.readFile(path);
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Undefined for an address that no file has. */
function pathFrom(path: string, specifier: string): string | undefined {
  try {
    const from = path.split("/").map(encodeURIComponent).join("/");
    return decodeURIComponent(new URL(specifier, `file://${from}`).pathname);
  } catch {
    return undefined;
  }
}

/** True when two readings of a plugin found the same. */
export function sameModules(a: PluginModules, b: PluginModules): boolean {
  return a.size === b.size &&
    [...a].every(([name, text]) => b.get(name) === text);
}

/** A copy of a plugin's modules. */
export interface PluginCopy {
  entry: string;
  /** Holds all of it. */
  root: string;
  /** The folder that `root` is a copy of. */
  folder: string;
  modules: PluginModules;
}

/**
 * Writes the modules into a folder of their own, from where they can be
 * imported anew: Deno keeps every module by its address for as long as the
 * process lives. The folder is named by the content. Other files of the plugin
 * are copied with them: modules find them by their own address.
 */
export async function copyPluginModules(
  modules: PluginModules,
  source: PluginSource,
  copies: string,
): Promise<PluginCopy> {
  const text = JSON.stringify([...modules].sort());
  const digest = await crypto.subtle.digest(
    "SHA-256",
    new TextEncoder().encode(text),
  );
  const hash = new Uint8Array(digest).toHex().slice(0, 16);
  // The same content again is to be evaluated again too.
  const root = await Deno.makeTempDir({ dir: copies, prefix: `${hash}-` });
  const folder = commonFolder([source.entry, ...modules.keys()]);
  const copyOf = (path: string) => root + path.slice(folder.length);
  for (const [path, text] of modules) {
    const copy = copyOf(path);
    await Deno.mkdir(parentOf(copy), { recursive: true });
    await Deno.writeTextFile(copy, text, { createNew: true, mode: 0o600 });
  }
  for (const path of await otherFiles(source)) {
    if (modules.has(path) || !path.startsWith(`${folder}/`)) continue;
    const copy = copyOf(path);
    await Deno.mkdir(parentOf(copy), { recursive: true });
    // Whoever misses it will say so.
    await Deno.copyFile(path, copy).catch(() => {});
  }
  return { root, folder, modules, entry: copyOf(source.entry) };
}

/** Files of a plugin that is a folder, or beside one that is a file; as many as are no burden. */
async function otherFiles({ entry, folder }: PluginSource): Promise<string[]> {
  const isFolder = /\/mod\.[tj]s$/.test(entry);
  const files: string[] = [];
  let bytesLeft = MAX_LENGTH;
  const open = [folder];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const entries = await Array.fromAsync(Deno.readDir(at)).catch(() => []);
    for (const { name, isFile, isDirectory } of entries) {
      const path = `${at}/${name}`;
      if (name.startsWith(".") || name === "node_modules") continue;
      if (isDirectory && isFolder) open.push(path);
      // Beside a file these are other plugins.
      if (!isFile || (!isFolder && /\.[tj]s$/.test(name))) continue;
      const { size } = await Deno.stat(path).catch(() => ({ size: Infinity }));
      if (size > bytesLeft) continue;
      bytesLeft -= size;
      if (files.push(path) >= MAX_MODULES) return files;
    }
  }
  return files;
}

/** The innermost folder that holds all of these files. */
function commonFolder(paths: readonly string[]): string {
  let folder = parentOf(paths[0] ?? "");
  for (const path of paths) {
    while (!path.startsWith(`${folder}/`)) folder = parentOf(folder);
  }
  return folder;
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/** Removes what was copied, once nobody imports it any more. */
export async function removeCopy(
  root: string,
  copies: string,
): Promise<void> {
  if (!root.startsWith(`${copies}/`)) return;
  await Deno.remove(root, { recursive: true }).catch(() => {});
}
