import assert from "node:assert/strict";
import { pluginFolders } from "../../src/host/plugin_folders.ts";
import { RunningPlugins } from "../../src/host/running_plugins.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";

Deno.test("pluginFolders() grants the folder of a file, unless half of the machine lies below", async () => {
  await inTempFolder(async (root) => {
    await putFiles(root, {
      "home/loose.ts": "",
      "home/plugins/a.ts": "",
      "home/work/own.ts": "",
      "side/one.ts": "",
      "side/two/mod.ts": "",
    });
    const { readable, places, warnings } = pluginFolders({
      paths: [
        `${root}/home/loose.ts`,
        `${root}/home/work/own.ts`,
        `${root}/side/one.ts`,
        `${root}/side/two`,
        `${root}/a,b.ts`,
      ],
      folders: [`${root}/home/plugins`, `${root}/nowhere`],
      isProjectTrusted: false,
    }, { cwd: `${root}/home/work/deep`, home: `${root}/home` });
    assert.deepEqual(readable, [
      `${root}/home/loose.ts`,
      `${root}/home/work/own.ts`,
      `${root}/side`,
      `${root}/side/two`,
      `${root}/home/plugins`,
    ]);
    assert.deepEqual(places?.folders, [`${root}/home/plugins`]);
    assert.equal(warnings.length, 1);
  });
});

Deno.test("pluginFolders() has nothing to look for where no folder is there", () => {
  const { places, readable } = pluginFolders({
    paths: [],
    folders: ["/nowhere/plugins"],
    isProjectTrusted: false,
  }, { cwd: "/work", home: undefined });
  assert.deepEqual([places, readable], [undefined, []]);
});

Deno.test("RunningPlugins blames who was entered last and has not left", () => {
  const running = new RunningPlugins();
  assert.equal(running.blame, "");
  const notes = [
    { id: 0, plugin: "a" },
    { id: 1, plugin: "b" },
    { id: 2, plugin: "c" },
    { id: 1 },
  ];
  for (const note of notes) assert(running.take(JSON.stringify(note)));
  assert.equal(running.blame, ', in the plugin "c", or in "a"');
  for (const text of ["", "no JSON", "null", "[]", '{"plugin":"x"}']) {
    assert.equal(running.take(text), false, text);
  }
});

Deno.test("pluginFolders() grants where links to plugins lead, and to nothing else", async () => {
  await inTempFolder(async (root) => {
    await putFiles(root, {
      "home/mod.ts": "",
      "home/secrets/key": "",
      "home/secret.json": "",
      "home/plugins/own.ts": "",
      "side/one.ts": "",
      "side/two/mod.js": "",
    });
    const plugins = `${root}/home/plugins`;
    const links = [
      "side/one.ts",
      "side/two",
      "home/secrets",
      "home/secret.json",
      "home",
      "gone.ts",
    ];
    for (const path of links) {
      const name = path.slice(path.lastIndexOf("/") + 1);
      Deno.symlinkSync(`${root}/${path}`, `${plugins}/${name}`);
    }
    const { readable } = pluginFolders({
      paths: [],
      folders: [plugins],
      isProjectTrusted: false,
    }, { cwd: `${root}/work`, home: `${root}/home` });
    const real = Deno.realPathSync(root);
    assert.deepEqual(
      new Set(readable),
      new Set([plugins, `${real}/side/one.ts`, `${real}/side/two`]),
    );
  });
});
