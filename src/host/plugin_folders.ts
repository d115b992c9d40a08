import { pluginModule } from "../settings/plugin_entry.ts";
import type { PluginPlaces } from "./run_options.ts";

/** Returns the paths that plugins need to read: folders of plugins, and named files with what lies beside them. */
export interface PluginFolders {
  /** Absolute and as they were named: links in them are followed. */
  readable: string[];
  /** The places that there are. */
  places: PluginPlaces | undefined;
  /** Lines for stderr. */
  warnings: string[];
}

/** Links of one folder of plugins. */
const MAX_LINKS = 256;

/**
 * Which folders a kernel reads for its plugins. A file's own folder is one of
 * them, for the modules that it imports, unless half of the machine lies below. Links in a
 * folder of plugins, which dotfiles are often made of, are granted one by one.
 */
export function pluginFolders(
  places: PluginPlaces | undefined,
  { cwd, home }: { cwd: string; home: string | undefined },
): PluginFolders {
  const readable = new Set<string>();
  const warnings: string[] = [];
  const isWide = (folder: string) =>
    folder === "/" || folder === "/tmp" || folder === home ||
    `${cwd}/`.startsWith(`${folder}/`) ||
    (home !== undefined && home.startsWith(`${folder}/`));
  const paths: string[] = [];
  for (const path of places?.paths ?? []) {
    if (path.includes(",")) {
      warnings.push(
        `The plugin ${
          JSON.stringify(path)
        } is left out: Deno grants no path with a comma`,
      );
      continue;
    }
    paths.push(path);
    const kind = kindOf(path);
    if (kind === "folder") readable.add(path);
    if (kind !== "file") continue;
    const folder = path.slice(0, path.lastIndexOf("/")) || "/";
    readable.add(isWide(folder) ? path : folder);
  }
  const folders = (places?.folders ?? []).filter((folder) =>
    kindOf(folder) === "folder" && !folder.includes(",")
  );
  for (const folder of folders) {
    readable.add(folder);
    for (const target of linkedPlugins(folder)) {
      const isFolder = kindOf(target) === "folder";
      if (!(isFolder && isWide(target))) readable.add(target);
    }
  }
  // Somebody has to say that there is no such option.
  const isNeeded = paths.length + folders.length > 0 ||
    places?.flagValues !== undefined;
  return {
    readable: [...readable],
    places: places && isNeeded ? { ...places, paths, folders } : undefined,
    warnings,
  };
}

/** Where the links of a folder lead, as far as it is what a plugin is made of: a module, or a folder with a plugin. */
function linkedPlugins(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)]
      .filter(({ name, isSymlink }) => isSymlink && !name.startsWith("."))
      .slice(0, MAX_LINKS)
      .flatMap(({ name }) => {
        const path = `${folder}/${name}`;
        const isPlugin = pluginModule(path) !== undefined;
        const target = isPlugin ? Deno.realPathSync(path) : ",";
        return target.includes(",") ? [] : [target];
      });
  } catch {
    return [];
  }
}

function kindOf(path: string): "file" | "folder" | undefined {
  try {
    const { isFile, isDirectory } = Deno.statSync(path);
    return isFile ? "file" : isDirectory ? "folder" : undefined;
  } catch {
    return undefined;
  }
}
