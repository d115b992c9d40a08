import assert from "node:assert/strict";
import { KernelCache } from "../../src/host/kernel_cache.ts";
import { inTempFolder } from "../support/temp_folder.ts";
import { putFiles } from "../support/put_files.ts";

const V8 = "--v8-flags=--max-old-space-size=512";

async function bundleIn(folder: string): Promise<URL> {
  await putFiles(folder, {
    "app/import_map.json": "{}",
    "app/kernel/main.js": `import "./piece.js"; throw new Error("no setup");`,
    "app/kernel/piece.js": `export const text = ${
      JSON.stringify("x".repeat(5000))
    };`,
  });
  return new URL(`file://${folder}/app/kernel/main.js`);
}

Deno.test("KernelCache is made once, outside of the run, and each kernel gets a copy of its own", async () => {
  await inTempFolder(async (folder) => {
    const home = `${folder}/home`;
    const entry = await bundleIn(folder);
    const cache = KernelCache.of({ entry }, home);
    assert(cache);
    assert.equal(cache.copyBelow(folder), undefined);
    await Promise.all([cache.make([V8]), cache.make([V8])]);
    const [kept, ...more] = [...Deno.readDirSync(`${home}/cache/kernel`)];
    assert.deepEqual(more, []);

    const first = cache.copyBelow(folder);
    const second = cache.copyBelow(folder);
    assert(first && second && first.path !== second.path);
    const names = [...Deno.readDirSync(first.path)].map(({ name }) => name);
    assert(names.includes("v8_code_cache_v2"), names.join());
    assert(!names.some((name) => /-(wal|shm)$/.test(name)), names.join());
    Deno.writeTextFileSync(`${first.path}/v8_code_cache_v2`, "broken");
    first.remove();
    second.remove();
    assert.notEqual(
      Deno.readTextFileSync(
        `${home}/cache/kernel/${kept?.name}/v8_code_cache_v2`,
      ),
      "broken",
    );
    assert.deepEqual(
      [...Deno.readDirSync(folder)].map(({ name }) => name).sort(),
      ["app", "home"],
    );
  });
});

Deno.test("KernelCache keeps programs apart that are equally old", async () => {
  await inTempFolder(async (folder) => {
    const home = `${folder}/home`;
    const entries = await Promise.all(
      ["old", "new"].map((name) => bundleIn(`${folder}/${name}`)),
    );
    for (const entry of entries) Deno.utimeSync(entry, 0, 0);
    const [old, young] = entries.map((entry) =>
      KernelCache.of({ entry }, home)
    );
    await old?.make([V8]);
    assert(old?.copyBelow(folder));
    assert.equal(young?.copyBelow(folder), undefined);
  });
});

Deno.test("KernelCache is for bundles alone, and nothing is lost without it", async () => {
  await inTempFolder(async (folder) => {
    const entry = await bundleIn(folder);
    const source = new URL("file:///src/kernel/main.ts");
    assert.equal(KernelCache.of({ entry: source }, folder), undefined);
    assert.equal(KernelCache.of({ entry, config: source }, folder), undefined);
    assert.equal(
      KernelCache.of({ entry, selfArgument: "--kernel" }, folder),
      undefined,
    );
    assert.equal(KernelCache.of({ entry }, undefined), undefined);
    const nowhere = KernelCache.of({ entry }, "/proc/none");
    await nowhere?.make([V8]);
    assert.equal(nowhere?.copyBelow(folder), undefined);
  });
});
