import assert from "node:assert/strict";
import { parseKernelMessage } from "../../src/protocol/parse_kernel_message.ts";

const DENIED = {
  type: "tool_denied",
  toolCallId: "c",
  toolName: "bash",
  reason: "denied",
  rule: "bash(rm *)",
  source: "/s.json",
};

Deno.test("parseKernelMessage() takes what a kernel was refused, and counts that are counts", () => {
  const refused = { type: "refused", access: "protected", count: 3 };
  assert.deepEqual(parseKernelMessage({ ...refused, more: 1 }), refused);
  assert.equal(parseKernelMessage({ ...refused, count: -1 }), undefined);
  assert.equal(parseKernelMessage({ ...refused, count: 1e300 }), undefined);
  assert.equal(
    parseKernelMessage({ ...refused, access: "__proto__" }),
    undefined,
  );
  const event = (fields: object) =>
    parseKernelMessage({ type: "event", event: { ...DENIED, ...fields } });
  assert.deepEqual(event({}), { type: "event", event: DENIED });
  assert.equal(event({ reason: "because" }), undefined);
  assert.equal(event({ rule: { long: 1 } }), undefined);
  assert.equal(event({ toolName: 1 }), undefined);
});

Deno.test("parseKernelMessage() lets no kernel say what became of control files", () => {
  const event = {
    type: "control_file_changed",
    path: "/w/.envrc",
    change: "created",
  };
  assert.equal(parseKernelMessage({ type: "event", event }), undefined);
});
