/** Names of the module that a folder's plugin begins with; the first that is there counts. */
const ENTRY_NAMES = ["mod.ts", "mod.js", "index.ts", "index.js"];
/** The plugin itself, or a folder's module. */
const MODULE = /\.(?:ts|js)$/;
const MAX_PACKAGE = 64 * 1024;

/** What a folder must hold to be a plugin. */
export const ENTRY_WANTED =
  'mod.ts, mod.js, index.ts or index.js, or package.json with "main"';

/** True for the name of a file that may be a plugin. */
export function isModuleName(name: string): boolean {
  return MODULE.test(name) && !name.endsWith(".d.ts");
}

/** A name without the ending of a module. */
export function withoutModuleEnding(name: string): string {
  return name.replace(MODULE, "");
}

/**
 * The module that the plugin in a folder begins with: the one that
 * `package.json` names as `main`, or else the first of the usual names.
 * Undefined where the folder is no plugin.
 */
export function pluginEntry(folder: string): string | undefined {
  const names = [mainOf(`${folder}/package.json`), ...ENTRY_NAMES];
  return names.filter((name) => name !== undefined)
    .map((name) => `${folder}/${name}`).find(isFile);
}

/** The module of a plugin that is a file or a folder; undefined for what is neither. */
export function pluginModule(path: string): string | undefined {
  if (!isFile(path)) return pluginEntry(path);
  return isModuleName(path) ? path : undefined;
}

/** What a package begins with, below its own folder. */
function mainOf(path: string): string | undefined {
  try {
    const { isFile, size } = Deno.statSync(path);
    if (!isFile || size > MAX_PACKAGE) return undefined;
    const { main } = JSON.parse(Deno.readTextFileSync(path));
    if (typeof main !== "string" || !isModuleName(main)) return undefined;
    const name = main.replace(/^\.\//, "");
    const steps = name.split("/");
    return steps.includes("..") || steps[0] === "" ? undefined : name;
  } catch {
    // Not there, or nothing that can be understood.
    return undefined;
  }
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
