import assert from "node:assert/strict";
import type { ReadOperations } from "../../src/operations/file_operations.ts";
import { createLocalFileOperations } from "../../src/operations/local_file_operations.ts";
import { createGrepTool, createReadTool } from "../../src/tools/factories.ts";
import { longestTurn } from "../support/longest_turn.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";
import { outcomeOf } from "../support/tool_outcome.ts";

const MB = 1024 * 1024;

Deno.test("read() of a range near the start of a 2 GB file reads little more than the range", () =>
  inTempFolder(async (folder) => {
    const lines = Array.from({ length: 100_000 }, (_, n) => `line ${n + 1}\n`);
    await putFiles(folder, { "big.log": lines.join("") });
    // The rest is a hole, which takes no room on the disk.
    await Deno.truncate(`${folder}/big.log`, 2 * 1024 * MB);
    const { operations, bytesRead } = counting(createLocalFileOperations());
    const tool = createReadTool(folder, { operations });
    const { text } = await outcomeOf(tool, {
      path: "big.log",
      offset: 50_000,
      limit: 2,
    });
    assert.equal(
      text,
      "line 50000\nline 50001\n\n[More lines in file. Use offset=50002 to continue.]",
    );
    // Up to the range half a MB, and at most a chunk behind it.
    assert.ok(bytesRead() <= 1.25 * MB, `${bytesRead()} bytes`);
  }));

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

/** Operations that count the bytes that are read through them. */
function counting(
  operations: ReadOperations,
): { operations: ReadOperations; bytesRead(): number } {
  let bytes = 0;
  return {
    bytesRead: () => bytes,
    operations: {
      listNames: (path, limit) => operations.listNames(path, limit),
      async openFile(path) {
        const file = await operations.openFile(path);
        return {
          ...file,
          async read(buffer) {
            const count = await file.read(buffer);
            bytes += count ?? 0;
            return count;
          },
        };
      },
    },
  };
}
