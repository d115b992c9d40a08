import assert from "node:assert/strict";
import { createGrepTool } from "../../src/tools/factories.ts";
import { longestTurn } from "../support/longest_turn.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";
import { outcomeOf } from "../support/tool_outcome.ts";

const MB = 1024 * 1024;

Deno.test("grep lets others have a turn every tenth of a second, whatever it searches", () =>
  inTempFolder(async (folder) => {
    await putFiles(folder, {
      "hostile/lines.txt": ("a".repeat(3000) + "!\n").repeat(200),
      "long/line.txt": "a".repeat(8 * MB) + "!",
      "many/lines.txt": "some text of a line\n".repeat(MB),
    });
    const grep = createGrepTool(folder);
    // Loads what a search needs.
    await outcomeOf(grep, { pattern: "x" });
    for (
      const [pattern, path] of [
        ["a+$", "hostile"],
        ["(a|aa)b", "long"],
        ["a+$", "long"],
        ["zzz", "many"],
        ["(?=x)y", "many"],
        ["[a-z ]+!", "many"],
      ] as const
    ) {
      const lagMs = await longestTurn(() => outcomeOf(grep, { pattern, path }));
      // Other work of the machine makes the processor slower, too.
      assert.ok(lagMs < 250, `/${pattern}/ in ${path}: ${lagMs} ms`);
    }
  }));
