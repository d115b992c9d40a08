/** A change of one place in the source. */
export interface SourceEdit {
  /** From the top of the repository. */
  file: string;
  /** Stands there exactly once. */
  from: string;
  to: string;
}

const ROOT = new URL("../../", import.meta.url);

/**
 * Lends the folder of a `deno.json` with which changed modules take the place
 * of those of the source, and removes it afterwards; undefined where there are
 * no changes.
 */
export async function withChangedSource<Value>(
  edits: readonly SourceEdit[],
  use: (folder: string | undefined) => Promise<Value>,
): Promise<Value> {
  if (edits.length === 0) return await use(undefined);
  const folder = await Deno.realPath(
    await Deno.makeTempDir({ prefix: "tau-test-source-" }),
  );
  try {
    const config = JSON.parse(
      await Deno.readTextFile(new URL("deno.json", ROOT)),
    );
    config.imports.tau = new URL(config.imports.tau, ROOT).href;
    for (const [url, text] of await changed(edits)) {
      const name = `${Object.keys(config.imports).length}.ts`;
      await Deno.writeTextFile(`${folder}/${name}`, text);
      config.imports[url] = `./${name}`;
    }
    await Deno.writeTextFile(`${folder}/deno.json`, JSON.stringify(config));
    await Deno.copyFile(new URL("deno.lock", ROOT), `${folder}/deno.lock`);
    return await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The changed modules by their addresses. */
async function changed(
  edits: readonly SourceEdit[],
): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const { file, from, to } of edits) {
    const url = new URL(file, ROOT);
    const text = texts.get(url.href) ?? absolute(
      await Deno.readTextFile(url),
      url,
    );
    const parts = text.split(from);
    if (parts.length !== 2) {
      throw new Error(`${file} holds ${parts.length - 1} times: ${from}`);
    }
    texts.set(url.href, parts.join(to));
  }
  return texts;
}

/** A module that can stand anywhere. */
function absolute(text: string, url: URL): string {
  return text.replace(
    /\bfrom "(\.[^"]+)"/g,
    (_, path) => `from "${new URL(path, url)}"`,
  );
}
