import assert from "node:assert/strict";
import { bubblewrapPath, needing } from "../support/needs.ts";
import { inTempFolder } from "../support/temp_folder.ts";
import type { FullDiskReport } from "./full_disk_child.ts";

const CHILD = new URL("./full_disk_child.ts", import.meta.url).pathname;
const CONFIG = new URL("../../deno.json", import.meta.url).pathname;

needing("bubblewrap")(
  "write and edit on a full disk fail with a clear error, keep the old bytes and leave no file",
  () =>
    inTempFolder(async (folder) => {
      const report = await onSmallDisk(folder);
      const full = "no space left on the device";
      assert.deepEqual(report, {
        freeAtStart: true,
        writeNew: `ERROR Cannot write "new.txt": ${full}`,
        writeOver: `ERROR Cannot write "old.txt": ${full}`,
        writeInPlace: `ERROR Cannot write "linked.txt": ${full}`,
        edit: `ERROR Cannot edit "old.txt": ${full}`,
        editInPlace: `ERROR Cannot edit "linked.txt": ${full}`,
        unchanged: true,
        names: ["filler", "linked.txt", "old.txt", "twin.txt"],
        writeWithRoom: "Successfully wrote to old.txt",
      });
    }),
);

/** Runs the child with a disk of 1 MB at `folder`. */
async function onSmallDisk(folder: string): Promise<FullDiskReport> {
  const { success, stdout, stderr } = await new Deno.Command(bubblewrapPath(), {
    args: [
      ...["--dev-bind", "/", "/", "--size", "1048576", "--tmpfs", folder],
      ...[Deno.execPath(), "run", "-A", "--no-prompt", "--config", CONFIG],
      ...[CHILD, folder],
    ],
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}
