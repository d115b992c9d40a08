import { textsIn } from "./texts_in.ts";

// Prints the texts of the program that a person can see, each with its file and
// line: to be read through as a whole. Texts for the model, which people read in
// `--verbose` output and recordings, are among them.

const ROOT = new URL("../../", import.meta.url);

for (const path of await sources("src/")) {
  const source = await Deno.readTextFile(new URL(path, ROOT));
  for (const { line, text } of textsIn(path, source)) {
    const shown = JSON.stringify(text).slice(1, -1);
    await writeAll(`${path}:${line}  ${shown}\n`);
  }
}

async function writeAll(text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) {
    at += await Deno.stdout.write(bytes.subarray(at));
  }
}

async function sources(folder: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const entry of Deno.readDir(new URL(folder, ROOT))) {
    const path = folder + entry.name;
    if (entry.isDirectory) paths.push(...await sources(`${path}/`));
    else if (path.endsWith(".ts")) paths.push(path);
  }
  return paths.sort();
}
