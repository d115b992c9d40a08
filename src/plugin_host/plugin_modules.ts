import type { PluginSource } from "./find_plugins.ts";

/** The text of each of a plugin's own modules, by its path relative to the plugin's folder. */
export type PluginModules = ReadonlyMap<string, string>;

/** Modules of one plugin, and characters of all of them; what is beyond is not watched. */
const MAX_MODULES = 256;
const MAX_LENGTH = 8 * 1024 * 1024;

/** What stands behind `from`, `import` and `import(`: too many rather than too few. */
const SPECIFIER = /(?:\bfrom|\bimport)\s*\(?\s*(["'])(\.{1,2}\/[^"'\n]+)\1/g;

/**
 * Reads the entry of a plugin and all below its folder that it imports, JSON
 * included. What cannot be read is left out: the import will say why.
 */
export async function readPluginModules(
  { entry, folder }: PluginSource,
): Promise<PluginModules> {
  const modules = new Map<string, string>();
  let length = 0;
  const open = [entry];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const name = path.slice(folder.length + 1);
    if (modules.has(name) || modules.size >= MAX_MODULES) continue;
    const text = await Deno.readTextFile(path).catch(() => undefined);
    if (text === undefined) continue;
    length += text.length;
    if (length > MAX_LENGTH) break;
    modules.set(name, text);
    if (name.endsWith(".json")) continue;
    for (const [, , specifier = ""] of text.matchAll(SPECIFIER)) {
      const { pathname } = new URL(specifier, `file://${encodeURI(path)}`);
      const imported = decodeURIComponent(pathname);
      if (imported.startsWith(`${folder}/`)) open.push(imported);
    }
  }
  return modules;
}

/** Whether two readings of a plugin found the same. */
export function sameModules(a: PluginModules, b: PluginModules): boolean {
  return a.size === b.size &&
    [...a].every(([name, text]) => b.get(name) === text);
}

/**
 * Writes the modules into a folder of their own, from where they can be
 * imported anew: Deno keeps every module by its address for as long as the
 * process lives. The folder is named by the content.
 */
export async function copyPluginModules(
  modules: PluginModules,
  { entry, folder }: PluginSource,
  copies: string,
): Promise<{ entry: string; root: string }> {
  const text = JSON.stringify([...modules].sort());
  const digest = await crypto.subtle.digest(
    "SHA-256",
    new TextEncoder().encode(text),
  );
  const hash = new Uint8Array(digest).toHex().slice(0, 16);
  // The same content again is to be evaluated again too.
  const root = await Deno.makeTempDir({ dir: copies, prefix: `${hash}-` });
  for (const [name, text] of modules) {
    const path = `${root}/${name}`;
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(path, text, { createNew: true, mode: 0o600 });
  }
  return { root, entry: `${root}/${entry.slice(folder.length + 1)}` };
}

/** Removes what was copied, once nobody imports it any more; a plugin's own folder stays. */
export async function removeCopy(
  root: string,
  { folder }: PluginSource,
): Promise<void> {
  if (root === folder) return;
  await Deno.remove(root, { recursive: true }).catch(() => {});
}
