/** The plugins in a folder as `--plugin` takes them, by name: files that end in `.ts` or `.js`, and folders with a `mod.ts` or `mod.js`. None where there is no such folder. */
export function pluginsIn(folder: string): string[] {
  return namesIn(folder).map((name) => `${folder}/${name}`).filter((path) =>
    isFile(path)
      ? /\.[jt]s$/.test(path) && !path.endsWith(".d.ts")
      : isFile(`${path}/mod.ts`) || isFile(`${path}/mod.js`)
  );
}

function namesIn(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name)
      .filter((name) => !name.startsWith(".")).sort();
  } catch {
    return [];
  }
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
