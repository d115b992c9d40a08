import assert from "node:assert/strict";
import { loadSettings } from "../../src/settings/load_settings.ts";
import { UsageError } from "../../src/settings/usage_error.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";

Deno.test("loadSettings() takes the rules of all files together, each with its file", () =>
  inTempFolder(async (folder) => {
    await putFiles(folder, {
      "a.json": `{"permissions":{"ask":["bash"],"deny":["write(*.lock)"]}}`,
      "b.json": `{"permissions":{"deny":["read(x)"]},"tools":["read"]}`,
    });
    const { rules } = await loadSettings([
      `${folder}/a.json`,
      `${folder}/b.json`,
    ]);
    assert.deepEqual(
      rules.map(({ effect, text, source }) => [effect, text, source]),
      [
        ["deny", "write(*.lock)", `${folder}/a.json`],
        ["ask", "bash", `${folder}/a.json`],
        ["deny", "read(x)", `${folder}/b.json`],
      ],
    );
    assert.deepEqual((await loadSettings([`${folder}/none.json`])).rules, []);
  }));

Deno.test("loadSettings() names file, list and rule of one that cannot hold", () =>
  inTempFolder(async (folder) => {
    const path = `${folder}/a.json`;
    const cases: Record<string, RegExp> = {
      '{"permissions":{"allow":["bash(a; b)"]}}':
        /^Wrong rule "bash\(a; b\)" in "permissions\.allow" of ".*a\.json": .*such as "bash\(git status\*\)"$/,
      '{"permissions":{"deny":[1]}}': /Wrong setting "permissions\.deny/,
    };
    for (const [text, message] of Object.entries(cases)) {
      await Deno.writeTextFile(path, text);
      await assert.rejects(loadSettings([path]), (error) => {
        assert(error instanceof UsageError);
        assert.match(error.message, message);
        return true;
      });
    }
  }));
