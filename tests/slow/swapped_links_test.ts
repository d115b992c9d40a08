import assert from "node:assert/strict";
import {
  swapWhileReading,
  swapWhileWriting,
} from "../support/swapped_links.ts";

const TIMES = 10_000;

Deno.test("10,000 swaps of a folder for a link while files are read, and as many while they are written, let nothing out", async () => {
  const seed = Number(Deno.env.get("TAU_SLOW_SEED") ?? Date.now() % 1e9);
  for (const swap of [swapWhileReading, swapWhileWriting]) {
    const found = await swap(TIMES, seed);
    assert.equal(found.escapes, 0, `seed ${seed}`);
    assert(found.refused > TIMES / 10, JSON.stringify({ seed, ...found }));
  }
});
