import { pluginModule } from "../settings/plugin_entry.ts";

/** The plugins in a folder as `--plugin` takes them, by name: modules, and folders that begin with one. None where there is no such folder. */
export function pluginsIn(folder: string): string[] {
  return namesIn(folder).map((name) => `${folder}/${name}`)
    .filter((path) => pluginModule(path) !== undefined);
}

function namesIn(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name)
      .filter((name) => !name.startsWith(".")).sort();
  } catch {
    return [];
  }
}
