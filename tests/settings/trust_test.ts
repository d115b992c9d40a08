import assert from "node:assert/strict";
import {
  findProject,
  type ProjectOptions,
  saveTrust,
} from "../../src/settings/trust.ts";
import { UsageError } from "../../src/settings/usage_error.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";

/** What is known of a project, its decision included. */
function find(options: ProjectOptions): Record<string, unknown> {
  const project = findProject(options);
  return { ...project, isTrusted: project.isTrusted() };
}

/** Lends a project with settings, and a `TAU_HOME` that does not exist yet. */
async function inProject(
  test: (place: { cwd: string; home: string }) => Promise<void> | void,
): Promise<void> {
  await inTempFolder(async (folder) => {
    await putFiles(folder, { "work/.tau/settings.json": "{}" });
    await test({ cwd: `${folder}/work`, home: `${folder}/home` });
  });
}

Deno.test("findProject() leaves a project out that nobody has decided on, and says so", async () => {
  await inProject((place) => {
    const { notice, ...project } = find(place);
    assert.deepEqual(project, { isTrusted: false });
    assert.match(
      String(notice),
      /work\/\.tau" is left out.*--trust.*tau trust/,
    );
  });
});

Deno.test("findProject() takes --trust and --no-trust before what is saved", async () => {
  await inProject(({ cwd, home }) => {
    const trusted = { isTrusted: true, folder: `${cwd}/.tau` };
    assert.deepEqual(find({ cwd, home, trust: true }), trusted);
    saveTrust({ cwd, home }, true);
    assert.deepEqual(find({ cwd, home }), trusted);
    assert.deepEqual(find({ cwd, home, trust: false }), {
      isTrusted: false,
    });
  });
});

Deno.test("findProject() says nothing of a .tau in which nothing has an effect", async () => {
  await inProject(async ({ cwd, home }) => {
    await Deno.rename(`${cwd}/.tau/settings.json`, `${cwd}/.tau/notes.txt`);
    assert.deepEqual(find({ cwd, home }), { isTrusted: false });
  });
});

Deno.test("findProject() takes no TAU_HOME for a project, also through a link", async () => {
  await inProject(async ({ cwd, home }) => {
    await Deno.symlink(`${cwd}/.tau`, home);
    assert.deepEqual(find({ cwd, home, trust: true }), {
      isTrusted: true,
    });
  });
});

Deno.test("saveTrust() decides on one folder and on none below it, for its owner's eyes only", async () => {
  await inProject(async ({ cwd, home }) => {
    await putFiles(cwd, { "sub/.tau/settings.json": "{}" });
    saveTrust({ cwd, home }, true);
    saveTrust({ cwd: "/other", home }, true);
    assert.equal(find({ cwd, home }).isTrusted, true);
    assert.equal(find({ cwd: `${cwd}/sub`, home }).isTrusted, false);
    const { mode } = await Deno.stat(`${home}/trust.json`);
    assert.equal((mode ?? 0) & 0o777, 0o600);
    saveTrust({ cwd, home }, undefined);
    assert.deepEqual(
      JSON.parse(await Deno.readTextFile(`${home}/trust.json`)),
      { "/other": true },
    );
    const names = [...Deno.readDirSync(home)].map(({ name }) => name);
    assert.deepEqual(names, ["trust.json"]);
  });
});

Deno.test("findProject() takes a saved no for an answer, without a word", async () => {
  await inProject(async ({ cwd, home }) => {
    await putFiles(`${cwd}/..`, {
      "home/trust.json": JSON.stringify({ [cwd]: false }),
    });
    assert.deepEqual(find({ cwd, home }), { isTrusted: false });
  });
});

Deno.test("findProject() refuses a trust.json that it cannot understand", async () => {
  await inProject(async ({ cwd, home }) => {
    for (const text of ['{"/a": "yes"}', "3", "{"]) {
      await putFiles(`${cwd}/..`, { "home/trust.json": text });
      assert.throws(() => find({ cwd, home }), UsageError);
    }
  });
});
