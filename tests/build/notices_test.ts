import assert from "node:assert/strict";
import { makeNotices } from "../../build/notices.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const ISC = { name: "a", version: "1.0.0", license: "ISC" };

Deno.test("makeNotices() names each package, and has all of its licence files", () =>
  inTempFolder(async (folder) => {
    await putFiles(folder, {
      "b/package.json": JSON.stringify({
        name: "@scope/b",
        version: "2.0.0",
        license: "Apache-2.0",
        repository: { type: "git", url: "git+https://forge.example/b.git" },
      }),
      "b/LICENCE.md": "Terms of b \r\nin two lines\r\n\r\n",
      "b/NOTICE": "Notice of b\n",
      "b/README.md": "Not a licence\n",
      "b/license-checker/main.js": "Not a file\n",
      "a/package.json": JSON.stringify(ISC),
      "a/COPYING": "Terms of a\n",
    });
    const packages = [`${folder}/a`, `${folder}/b`];
    const notices = await makeNotices(packages);
    const line = "=".repeat(80);
    const [, b, a, deno = "", ...more] = notices.split(`${line}\n`);
    assert.deepEqual(more, []);
    assert.equal(a, "a 1.0.0\nLicence: ISC\n\nTerms of a\n\n");
    assert.equal(
      b,
      "@scope/b 2.0.0\nLicence: Apache-2.0\nHome: https://forge.example/b\n\n" +
        "Terms of b\nin two lines\n\nNotice of b\n\n",
    );
    assert.ok(deno.startsWith(`Deno ${Deno.version.deno}, with V8 `));
    assert.match(deno, /^Copyright \d{4}-\d{4} the Deno authors$/m);
    assert.match(deno, /^Copyright \d{4}, the V8 project authors\./m);
    assert.equal(await makeNotices(packages.toReversed()), notices);
  }));

for (
  const [repository, home] of [
    ["someone/a", "https://github.com/someone/a"],
    ["github:someone/a", "https://github.com/someone/a"],
    ["git+ssh://git@forge.example/a.git", "https://forge.example/a"],
    ["git@forge.example:some/a.git", "https://forge.example/some/a"],
    ["git://forge.example/a.git", "https://forge.example/a"],
  ]
) {
  Deno.test(`makeNotices() makes an address of the repository ${repository}`, () =>
    inTempFolder(async (folder) => {
      await putFiles(folder, {
        "package.json": JSON.stringify({ ...ISC, repository }),
        "LICENSE": "Terms\n",
      });
      const notices = await makeNotices([folder]);
      assert.ok(notices.includes(`\nHome: ${home}\n`), notices.slice(0, 400));
    }));
}

for (
  const [what, files, message] of [
    [
      "names none",
      { "package.json": '{"name":"a","version":"1.0.0"}', "LICENSE": "Terms" },
      "The package a 1.0.0 names no licence",
    ],
    [
      "says that it has none",
      {
        "package.json": JSON.stringify({ ...ISC, license: "UNLICENSED" }),
        "LICENSE": "Terms",
      },
      "The package a 1.0.0 names no licence",
    ],
    [
      "has no text of it",
      { "package.json": JSON.stringify(ISC), "dist/LICENSE": "Terms" },
      "The package a 1.0.0 has no text of its licence",
    ],
  ] as [string, Record<string, string>, string][]
) {
  Deno.test(`makeNotices() refuses a package that ${what}`, () =>
    inTempFolder(async (folder) => {
      await putFiles(folder, files);
      await assert.rejects(() => makeNotices([folder]), {
        name: "BuildError",
        message,
      });
    }));
}
