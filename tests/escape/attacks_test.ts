import assert from "node:assert/strict";
import { attackTest, triable } from "../support/escape_machine.ts";
import { runAllAttacks, type Verdict } from "../support/escape_run.ts";
import { needing } from "../support/needs.ts";
import { withChangedSource } from "../support/escape_source.ts";
import { runTau } from "../support/tau_process.ts";
import { RINGS, type Row, rowsOf, rulesOf } from "./attack.ts";
import { NO_OPERATIONS } from "./mutations.ts";
import { ATTACKS } from "./table.ts";

const ROWS = rowsOf(ATTACKS);

/** Fails with the rows that came out otherwise, and what they were told. */
function assertAll(
  verdicts: readonly Verdict[],
  expected: (row: Row) => "got out" | "held",
): void {
  const wrong = verdicts.filter(({ row, escaped }) =>
    (escaped ? "got out" : "held") !== expected(row)
  );
  const lines = wrong.map(({ row, escaped, result }) =>
    `${escaped ? "got out" : "held"} ${row.name}\n    ${result.slice(0, 300)}`
  );
  assert.equal(lines.join("\n"), "");
}

Deno.test("the table has at least 60 attacks and 100 rows, each with a name of its own, and says what holds them", () => {
  assert(ATTACKS.length >= 60);
  assert(ROWS.length >= 100);
  assert.equal(new Set(ROWS.map(({ name }) => name)).size, ROWS.length);
  const unheld = ROWS.filter((row) =>
    "by" in row.attempt &&
    RINGS.every((ring) => rulesOf(row, ring).length === 0)
  );
  assert.deepEqual(unheld.map(({ name }) => name), []);
});

// Each row is tried by the tests below, together with others; one that cannot
// be is named here, and told as skipped.
for (const row of ROWS) {
  const { name, attack: { needs } } = row;
  if (needs === undefined || triable([row]).length > 0) continue;
  needing(needs)(`an attack that nobody can try here: ${name}`, () => {});
}

attackTest("each attack gets out with all rings off", async () => {
  const rows = triable(ROWS);
  const runs = await withChangedSource(
    NO_OPERATIONS,
    (source) => runAllAttacks(rows, { setting: { rings: [] }, source }),
  );
  const verdicts = runs.flatMap(({ verdicts }) => verdicts);
  assert.equal(verdicts.length, rows.length);
  assertAll(verdicts, () => "got out");
});

for (const ring of RINGS) {
  attackTest(
    `the ring "${ring}" alone holds the attacks that it has to`,
    async () => {
      const rows = triable(ROWS).filter((row) => rulesOf(row, ring).length > 0);
      const runs = await withChangedSource(
        ring === "operations" ? [] : NO_OPERATIONS,
        (source) => runAllAttacks(rows, { setting: { rings: [ring] }, source }),
      );
      const verdicts = runs.flatMap(({ verdicts }) => verdicts);
      assert.equal(verdicts.length, rows.length);
      assertAll(verdicts, () => "held");
    },
  );
}

attackTest(
  "tau holds each attack, or tells of it, or says that nothing does",
  async () => {
    const rows = triable(ROWS);
    const runs = await runAllAttacks(rows);
    const verdicts = runs.flatMap(({ verdicts }) => verdicts);
    assert.equal(verdicts.length, rows.length);
    assertAll(verdicts, ({ attempt }) => "by" in attempt ? "held" : "got out");
    for (const { verdicts, record, left, ws, told: secrets, stderr } of runs) {
      assert.equal(record.status, "completed", stderr);
      assert.equal(record.sandbox.state, "confined", record.sandbox.reason);
      assert.deepEqual(left, []);
      for (const secret of ["key", "home secret"] as const) {
        assert.equal(secrets.includes(secret), false, secret);
      }
      const told = record.controlFiles?.changed.map(({ path }) => path) ?? [];
      const wanted = verdicts.flatMap(({ row: { attempt } }) =>
        "flagged" in attempt ? [`${ws}/${attempt.flagged}`] : []
      );
      assert.deepEqual([...new Set(wanted)].sort(), told.sort());
      assert.doesNotMatch(stderr, /Not held, though it should be/);
    }
  },
);

for (const { name, attempt } of ROWS) {
  if (!("open" in attempt)) continue;
  attackTest(`nothing holds, and tau doctor says so: ${name}`, async () => {
    assert((await limits()).includes(attempt.open), attempt.open);
  });
}

attackTest(
  "tau doctor says that there are changes of control files which are only told of",
  async () => {
    const flagged = (await limits()).filter((limit) =>
      limit.includes("are reported at its end, not prevented")
    );
    assert.equal(flagged.length, 1);
  },
);

let told: Promise<string[]> | undefined;

/** What `tau doctor` says that does not hold. */
function limits(): Promise<string[]> {
  return told ??= runTau(["doctor", "--json"])
    .then(({ stdout }) => JSON.parse(stdout).limits);
}
