import assert from "node:assert/strict";
import { attachmentsIn } from "../../../src/cli/line_mode/prompt_attachments.ts";
import { inTempFolder } from "../../support/temp_folder.ts";

Deno.test("attachmentsIn() finds the files that a prompt mentions, and nothing else", async () => {
  await inTempFolder((folder) => {
    for (const name of ["a.txt", "with space.md", "odd!"]) {
      Deno.writeTextFileSync(`${folder}/${name}`, "");
    }
    const [a, spaced, odd] = [
      `${folder}/a.txt`,
      `${folder}/with space.md`,
      `${folder}/odd!`,
    ];
    assert.deepEqual(
      attachmentsIn(
        `@${a} see @${a}, (@${a}) and @"${spaced}"; then @${odd} @${folder} @nobody mail@${a} @`,
      ),
      [a, spaced, odd],
    );
    assert.deepEqual(attachmentsIn(`me@${a}`), []);
    assert.deepEqual(attachmentsIn("@\0 @\x1b[2J"), []);
  });
});

Deno.test("attachmentsIn() attaches no more than twenty", async () => {
  await inTempFolder((folder) => {
    const paths = Array.from({ length: 30 }, (_, i) => `${folder}/${i}`);
    for (const path of paths) Deno.writeTextFileSync(path, "");
    const prompt = paths.map((path) => `@${path}`).join(" ");
    assert.deepEqual(attachmentsIn(prompt), paths.slice(0, 20));
  });
});
