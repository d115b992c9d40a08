import assert from "node:assert/strict";
import {
  swapWhileReading,
  swapWhileWriting,
} from "../support/swapped_links.ts";

Deno.test("file operations read and write nothing outside when a link takes a folder's place between their steps", async () => {
  const reads = await swapWhileReading(400, 1);
  assert.equal(reads.escapes, 0);
  // Else the swaps would not fall between the steps.
  assert(reads.refused > 50 && reads.done > 50, JSON.stringify(reads));
  const writes = await swapWhileWriting(200, 2);
  assert.equal(writes.escapes, 0);
  assert(writes.refused > 30 && writes.done > 30, JSON.stringify(writes));
});
