import assert from "node:assert/strict";
import { listCommands } from "../../src/context/prompt_commands.ts";
import { inTempFolder } from "../support/temp_folder.ts";

Deno.test("listCommands() lists templates by name and skills behind them, and nothing that is neither", async () => {
  await inTempFolder(async (folder) => {
    const [project, home] = [`${folder}/project`, `${folder}/home`];
    for (const one of [project, home]) Deno.mkdirSync(one);
    Deno.writeTextFileSync(
      `${project}/review.md`,
      "---\ndescription: Look at\u202e the change\n---\nReview $1",
    );
    Deno.writeTextFileSync(`${home}/review.md`, "hidden by the project's");
    Deno.writeTextFileSync(`${home}/fix.md`, "Fix it");
    Deno.writeTextFileSync(`${home}/bad.md`, "---\n: [\n---\n");
    Deno.writeTextFileSync(`${home}/no template.md`, "");
    Deno.writeTextFileSync(`${home}/notes.txt`, "");
    const skills = [{
      name: "ship",
      description: "Ships",
      location: "/s/SKILL.md",
      folder: "/s",
      isOffered: false,
    }];
    const templateFolders = [project, home, `${folder}/missing`];
    assert.deepEqual(await listCommands({ skills, templateFolders }), [
      {
        name: "review",
        description: "Look at the change",
        source: "prompt",
      },
      { name: "bad", source: "prompt" },
      { name: "fix", source: "prompt" },
      { name: "skill:ship", description: "Ships", source: "skill" },
    ]);
  });
});
