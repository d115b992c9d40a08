import assert from "node:assert/strict";
import type { ModelErrorKind } from "../../src/model/model_error.ts";
import {
  EXIT_CODES,
  type RunFacts,
  type RunStatus,
  statusOf,
} from "../../src/protocol/exit_codes.ts";

/** Facts that can be true together, strongest first, and what each alone makes of a run. */
const FACTS: [RunFacts, RunStatus][] = [
  [{ stoppedBy: "interrupted" }, "interrupted"],
  [{ stdoutClosed: true }, "stdout_closed"],
  [{ kernelFailure: "died" }, "kernel_failed"],
  [{ timedOut: true }, "timeout"],
  [{ limit: "turn_limit" }, "turn_limit"],
  [{ modelError: { kind: "auth", message: "bad key" } }, "auth_failed"],
  [{ sandboxFailure: "no sandbox" }, "sandbox_unavailable"],
  [{ denial: "bash is denied" }, "denied"],
  [{ schemaFailure: "no JSON" }, "schema_failed"],
  [{ checkFailure: "tests fail" }, "check_failed"],
  [{ usageError: "no such folder" }, "usage_error"],
  [{ internalError: "bug" }, "internal_error"],
];

Deno.test("statusOf() names the strongest of every combination of facts", () => {
  for (let set = 0; set < 2 ** FACTS.length; set++) {
    const chosen = FACTS.filter((_, bit) => set & (1 << bit));
    const facts: RunFacts = Object.assign(
      {},
      // The weakest first, so that an order of properties is not what decides.
      ...chosen.map(([fact]) => fact).reverse(),
    );
    const expected = chosen[0]?.[1] ?? "completed";
    assert.equal(statusOf(facts), expected, JSON.stringify(facts));
  }
});

Deno.test("statusOf() names each way to be stopped, each limit and each failure of a model", () => {
  for (const stoppedBy of ["interrupted", "terminated", "hung_up"] as const) {
    assert.equal(statusOf({ stoppedBy, stdoutClosed: true }), stoppedBy);
  }
  assert.equal(statusOf({ limit: "budget_limit" }), "budget_limit");
  const failures: [ModelErrorKind | undefined, RunStatus][] = [
    ["auth", "auth_failed"],
    ["timeout", "provider_unavailable"],
    ["refused", "provider_refused"],
    ["replay_miss", "replay_miss"],
    [undefined, "internal_error"],
  ];
  for (const [kind, status] of failures) {
    const modelError = kind ? { kind, message: "" } : { message: "" };
    assert.equal(statusOf({ modelError }), status);
  }
});

Deno.test("statusOf() counts an empty reason as a reason", () => {
  assert.equal(statusOf({ kernelFailure: "" }), "kernel_failed");
  assert.equal(statusOf({ internalError: "" }), "internal_error");
  assert.equal(statusOf({ usageError: "" }), "usage_error");
});

Deno.test("EXIT_CODES gives each status its own code, but one to a run that goes on and on, and 0 to success alone", () => {
  const { tool_call_limit, repeat_limit, ...others } = EXIT_CODES;
  assert.equal(tool_call_limit, EXIT_CODES.turn_limit);
  assert.equal(repeat_limit, EXIT_CODES.turn_limit);
  const codes = Object.values(others);
  assert.equal(new Set(codes).size, codes.length);
  assert.equal(EXIT_CODES.completed, 0);
  assert.ok(codes.every((code) => code >= 0 && code < 256));
});
