import assert from "node:assert/strict";
import { nearestKey } from "../../src/model/nearest_key.ts";

Deno.test("nearestKey() counts a character more, less or other, and a swap of two neighbours, as one edit", () => {
  const known = ["model", "models", "doctor", "x"];
  const table: [string, string | undefined][] = [
    ["model", "model"],
    ["Modle", "model"],
    ["mdoel", "model"],
    ["modelss", "models"],
    ["moxel", "model"],
    ["odctro", "doctor"],
    ["dokter", "doctor"],
    ["y", "x"],
    ["mode", "model"],
    ["motto", undefined],
    ["rotcod", undefined],
    ["", "x"],
    ["m".repeat(61), undefined],
  ];
  for (const [wanted, nearest] of table) {
    assert.equal(nearestKey(wanted, known), nearest, wanted);
  }
  assert.equal(nearestKey("dokter", known, { maxEdits: 1 }), undefined);
  assert.equal(nearestKey("dcotor", known, { maxEdits: 1 }), "doctor");
});
