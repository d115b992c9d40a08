import assert from "node:assert/strict";
import { attackTest, triable } from "../support/escape_machine.ts";
import { runAllAttacks } from "../support/escape_run.ts";
import { withChangedSource } from "../support/escape_source.ts";
import { RINGS, rowsOf, RULES, rulesOf } from "./attack.ts";
import { MUTATIONS, NO_OPERATIONS, rowsFor } from "./mutations.ts";
import { ATTACKS } from "./table.ts";

const ROWS = triable(rowsOf(ATTACKS));

Deno.test("each rule of each ring is taken away by a mutation, and holds a row", () => {
  for (const ring of RINGS) {
    for (const rule of RULES[ring]) {
      const isBroken = MUTATIONS.some((mutation) =>
        mutation.ring === ring && mutation.breaks[0] === rule
      );
      assert(isBroken, `no mutation is about ${ring}: ${rule}`);
      const isNamed = rowsOf(ATTACKS).some((row) =>
        rulesOf(row, ring).includes(rule)
      );
      assert(isNamed, `no row needs ${ring}: ${rule}`);
    }
  }
});

for (const mutation of MUTATIONS) {
  const { ring, name, breaks, edits = [] } = mutation;
  attackTest(
    `a ring "${ring}" in which ${name} lets exactly its rows out`,
    async () => {
      const rows = rowsFor(mutation, ROWS);
      const runs = await withChangedSource(
        ring === "operations" ? edits : [...edits, ...NO_OPERATIONS],
        (source) =>
          runAllAttacks(rows, {
            setting: { rings: [ring], mutation: name },
            source,
          }),
      );
      const verdicts = runs.flatMap(({ verdicts }) => verdicts);
      assert.equal(verdicts.length, rows.length);
      const names = (wanted: boolean) =>
        verdicts.filter(({ escaped }) => escaped === wanted)
          .map(({ row }) => row.name).sort();
      const expected = (wanted: boolean) =>
        rows.filter((row) =>
          rulesOf(row, ring).some((rule) => breaks.includes(rule)) === wanted
        ).map(({ name }) => name).sort();
      assert.deepEqual(
        { out: names(true), held: names(false) },
        { out: expected(true), held: expected(false) },
      );
    },
  );
}
