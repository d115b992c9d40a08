import assert from "node:assert/strict";
import { putFiles } from "../../support/put_files.ts";
import { inTempFolder } from "../../support/temp_folder.ts";
import { type Printed, runHere } from "../fake_streams.ts";

function newPlugin(
  args: string[],
  env: Record<string, string>,
): Promise<Printed> {
  return runHere(["plugins", "new", ...args], { env });
}

Deno.test("tau plugins new writes a file, or a folder, and says what comes next", async () => {
  await inTempFolder(async (TAU_HOME) => {
    const plugins = `${TAU_HOME}/plugins`;
    const { code, stdout, stderr } = await newPlugin(["say-hi"], { TAU_HOME });
    assert.deepEqual([code, stdout], [0, `${plugins}/say-hi.ts\n`]);
    assert(stderr.includes(`tau plugins check ${plugins}/say-hi.ts\n`), stderr);
    const text = await Deno.readTextFile(`${plugins}/say-hi.ts`);
    assert(text.includes('name: "say_hi",') && text.includes('"Say hi"'), text);
    const folder = await newPlugin(["--dir", "other"], { TAU_HOME });
    assert.equal(folder.stdout, `${plugins}/other/mod.ts\n`);
    assert((await Deno.stat(`${plugins}/other/mod.ts`)).isFile);
  });
});

Deno.test("tau plugins new never replaces anything", async () => {
  await inTempFolder(async (TAU_HOME) => {
    await putFiles(TAU_HOME, {
      "plugins/a.ts": "mine",
      "plugins/b.js": "mine",
      "plugins/c/mod.ts": "mine",
    });
    await Deno.symlink("/nowhere/at/all", `${TAU_HOME}/plugins/d.ts`);
    for (const name of ["a", "b", "c", "d"]) {
      for (const args of [[name], [name, "--dir"]]) {
        const { code, stderr } = await newPlugin(args, { TAU_HOME });
        assert.equal(code, 2);
        assert.match(stderr, /^tau: There is already ".*"\n$/);
      }
    }
    assert.equal(await Deno.readTextFile(`${TAU_HOME}/plugins/a.ts`), "mine");
  });
});

Deno.test("tau plugins new takes no name that could lead elsewhere or that no tool can have", async () => {
  await inTempFolder(async (TAU_HOME) => {
    const wrong = ["../x", "a/b", "a.ts", "1st", "", " ", "ä", "x".repeat(65)];
    for (const name of wrong) {
      const { code, stderr } = await newPlugin([name], { TAU_HOME });
      assert.equal(code, 2, name);
      assert.match(stderr, /A plugin's name has 1 to 64 letters/);
    }
    assert.deepEqual([...Deno.readDirSync(TAU_HOME)], []);
  });
});

Deno.test("tau plugins new says when there is nowhere to write to", async () => {
  const { code, stderr } = await newPlugin(["x"], {});
  assert.equal(code, 2);
  assert.match(stderr, /set TAU_HOME or HOME.*--project/);
});
