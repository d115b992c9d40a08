import assert from "node:assert/strict";
import {
  recordingConflict,
  type RecordingFlags,
} from "../../src/cli/recording_flags.ts";
import { recordingChoice } from "../../src/cli/read_recording.ts";
import { UsageError } from "../../src/settings/usage_error.ts";
import { inTempFolder } from "../support/temp_folder.ts";

Deno.test("recordingConflict() refuses options that do not go together", () => {
  const table: [RecordingFlags, RegExp?][] = [
    [{}],
    [{ record: "r" }],
    [{ replay: "r" }],
    [{ replay: "r", "replay-tools": true }],
    [{ record: "r", replay: "s" }, /--record and --replay do not go together/],
    [{ "replay-tools": true }, /--replay-tools needs a recording/],
    [{ record: "r", "replay-tools": true }, /--replay-tools needs a recording/],
  ];
  for (const [flags, message] of table) {
    const conflict = recordingConflict(flags);
    if (message) assert.match(conflict ?? "", message);
    else assert.equal(conflict, undefined);
  }
});

Deno.test("recordingChoice() reads a recording, and says why it cannot", async () => {
  await inTempFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/r`, "text");
    assert.deepEqual(
      await recordingChoice({ replay: `${folder}/r`, "replay-tools": true }),
      { replay: { text: "text", name: `${folder}/r`, tools: true } },
    );
    const huge = await Deno.open(`${folder}/huge`, {
      write: true,
      create: true,
    });
    await huge.truncate(64 * 1024 * 1024 + 1);
    huge.close();
    const table: [string, RegExp][] = [
      ["none", /Cannot read the recording ".*none": it does not exist$/],
      [".", /not a file$/],
      ["huge", /larger than 64 MiB$/],
    ];
    for (const [name, message] of table) {
      await assert.rejects(
        recordingChoice({ replay: `${folder}/${name}` }),
        (error: Error) =>
          error instanceof UsageError && message.test(error.message),
      );
    }
  });
});
