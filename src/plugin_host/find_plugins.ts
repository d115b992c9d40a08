import { reasonOf } from "../model/error_reason.ts";
import { PluginLoadError } from "./plugin_diagnostic.ts";
import {
  ENTRY_WANTED,
  isModuleName,
  pluginEntry,
  withoutModuleEnding,
} from "../settings/plugin_entry.ts";

/** A plugin that may be loaded. */
export interface PluginSource {
  /** The name of its file without the ending, or of its folder. */
  name: string;
  /** The module with the default export; absolute. */
  entry: string;
  /** Holds the plugin's own modules; absolute. */
  folder: string;
}

/** Places of plugins; all paths absolute. */
export interface PluginPlaces {
  /** Files, or folders with a module that {@linkcode pluginEntry} finds; before all others. */
  paths: readonly string[];
  /** Folders of plugins, in the order in which they count. */
  folders: readonly string[];
  /** Entries of plugins that are passed over. */
  leftOut?: readonly string[] | undefined;
}

/** A place that was named and holds no plugin. */
export interface MissingPlugin {
  name: string;
  path: string;
  error: PluginLoadError;
}

/** Endings of modules that are not taken. */
const OTHER_MODULE = /\.(?:[cm][jt]s|[jt]sx)$/;
/** Plugins of one folder; more is a mistake. */
const MAX_PLUGINS = 256;

/**
 * The plugins of all places, in the order in which they are loaded: named
 * paths, then folders, each by name. One level only; a file that was found
 * already does not count again. Folders that are not there hold none.
 */
export async function findPlugins(
  { paths, folders, leftOut = [] }: PluginPlaces,
): Promise<{ sources: PluginSource[]; missing: MissingPlugin[] }> {
  const found: PluginSource[] = [];
  const missing: MissingPlugin[] = [];
  for (const path of paths) {
    try {
      found.push(await namedPlugin(path));
    } catch (cause) {
      missing.push({ name: nameOf(path), path, error: missingError(cause) });
    }
  }
  for (const folder of folders) {
    try {
      const { sources, skipped } = await pluginsIn(folder);
      found.push(...sources);
      missing.push(...skipped);
    } catch (cause) {
      if (cause instanceof Deno.errors.NotFound) continue;
      missing.push({
        name: nameOf(folder),
        path: folder,
        error: missingError(cause),
      });
    }
  }
  const sources = await distinct(found);
  return {
    sources: sources.filter(({ entry }) => !leftOut.includes(entry)),
    missing,
  };
}

async function namedPlugin(path: string): Promise<PluginSource> {
  const { isDirectory } = await Deno.stat(path);
  if (!isDirectory) {
    if (isModuleName(path)) return fileSource(path);
    throw new PluginLoadError("A plugin is a file that ends in .ts or .js");
  }
  const entry = pluginEntry(path);
  if (entry !== undefined) return folderSource(path, entry);
  throw new PluginLoadError(NO_ENTRY);
}

async function pluginsIn(
  folder: string,
): Promise<{ sources: PluginSource[]; skipped: MissingPlugin[] }> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (name.startsWith(".") || name.endsWith(".d.ts")) continue;
    names.push(name);
    if (names.length > MAX_PLUGINS) {
      throw new PluginLoadError(
        `There are more than ${MAX_PLUGINS} names in this folder`,
      );
    }
  }
  const sources: PluginSource[] = [];
  const skipped: MissingPlugin[] = [];
  const skip = (path: string, why: string) =>
    skipped.push({ name: nameOf(path), path, error: new PluginLoadError(why) });
  for (const name of names.sort()) {
    const path = `${folder}/${name}`;
    const stat = await Deno.stat(path).catch(() => undefined);
    if (!stat) {
      if (isModuleName(name) || !name.includes(".")) skip(path, UNREADABLE);
    } else if (stat.isDirectory) {
      const entry = pluginEntry(path);
      if (entry !== undefined) sources.push(folderSource(path, entry));
      else if (name !== "node_modules") skip(path, NO_ENTRY);
    } else if (isModuleName(name)) sources.push(fileSource(path));
    else if (OTHER_MODULE.test(name)) skip(path, OTHER_ENDING);
  }
  return { sources, skipped };
}

const UNREADABLE = "It leads to nothing that this run can read";
const OTHER_ENDING = "The name of a plugin ends in .ts or .js";
const NO_ENTRY =
  `A folder is a plugin by its ${ENTRY_WANTED}; a name that begins with a dot is passed over`;

function fileSource(path: string): PluginSource {
  return { name: nameOf(path), entry: path, folder: parentOf(path) };
}

function folderSource(path: string, entry: string): PluginSource {
  return { name: nameOf(path), entry, folder: path };
}

/** Each real file once. */
async function distinct(found: PluginSource[]): Promise<PluginSource[]> {
  const seen = new Set<string>();
  const sources: PluginSource[] = [];
  for (const source of found) {
    // Removed since: the import will say so.
    const real = await Deno.realPath(source.entry).catch(() => source.entry);
    if (seen.has(real)) continue;
    seen.add(real);
    sources.push(source);
  }
  return sources;
}

function missingError(cause: unknown): PluginLoadError {
  if (cause instanceof PluginLoadError) return cause;
  const why = cause instanceof Deno.errors.NotFound
    ? "It does not exist"
    : cause instanceof Deno.errors.NotCapable
    ? "This run may not read it"
    : reasonOf(cause);
  return new PluginLoadError(why, { cause });
}

function nameOf(path: string): string {
  return withoutModuleEnding(path.slice(path.lastIndexOf("/") + 1));
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}
