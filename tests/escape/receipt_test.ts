import assert from "node:assert/strict";
import type { SandboxReport } from "../../src/protocol/result_schema.ts";
import { atOnce } from "../support/at_once.ts";
import { attackTest } from "../support/escape_machine.ts";
import { runBesideRings } from "../support/escape_run.ts";
import { withChangedSource } from "../support/escape_source.ts";
import { type Ring, RINGS } from "./attack.ts";
import { NO_OPERATIONS } from "./mutations.ts";

const HELD = { read: "held", write: "held", connect: "held" };
const OPEN = { read: "open", write: "open", connect: "open" };

/** What the start probes find where one ring is gone. */
function expected(off: Ring | undefined): SandboxReport["probes"] {
  const ring = (name: Ring) => off === name ? OPEN : HELD;
  return {
    operations: { ...ring("operations"), connect: "not tried" },
    deno: ring("flags"),
    system: ring("sandbox"),
    reportedBy: "kernel",
  } as SandboxReport["probes"];
}

for (const off of [undefined, "operations", "flags", "sandbox"] as const) {
  const what = off === undefined
    ? "that all rings hold"
    : `that the ring "${off}" was switched off behind its back`;
  attackTest(
    `tau says in its record and in tau permissions ${what}`,
    async () => {
      const rings = RINGS.filter((ring) => ring !== off);
      await withChangedSource(
        off === "operations" ? NO_OPERATIONS : [],
        async (source) => {
          await atOnce(["-p", "permissions"], async (word) => {
            const { sandbox, stderr } = await runBesideRings(
              word === "-p"
                ? ["-p", "--output-format", "json", "go"]
                : ["permissions", "--json"],
              { setting: { rings }, source },
            );
            assert.equal(sandbox.state, "confined", sandbox.reason);
            assert.deepEqual(sandbox.probes, expected(off), word);
            assert.equal(/Not held, though/.test(stderr), off !== undefined);
          });
        },
      );
    },
  );
}
