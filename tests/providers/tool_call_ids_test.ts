import assert from "node:assert/strict";
import { ToolCallIds } from "../../src/providers/tool_call_ids.ts";

Deno.test("ToolCallIds.give() keeps a good id and renames its repeats", () => {
  const ids = new ToolCallIds();
  ids.take("used");
  assert.deepEqual(
    ["a", "a", "a2", "a", "used", ""].map((id) => ids.give(id)),
    ["a", "a2", "a22", "a3", "used2", "call"],
  );
});

Deno.test("ToolCallIds.give() keeps ids apart that differ only beyond the limit", () => {
  const ids = new ToolCallIds({ maxLength: 4, forbidden: /[^a-z0-9_-]/g });
  assert.deepEqual(
    ["xxx1|2", "yyy1|2", "1|2", "1|2"].map((id) => ids.give(id)),
    ["x1_2", "y1_2", "1_2", "1_22"],
  );
});

Deno.test("ToolCallIds.give() makes ids of one exact length", () => {
  const ids = new ToolCallIds({
    maxLength: 9,
    exact: true,
    forbidden: /[^a-zA-Z0-9]/g,
  });
  assert.deepEqual(
    ["call_ABCDEFGHIJ", "call_ABCDEFGHIJ", "x"].map((id) => ids.give(id)),
    ["BCDEFGHIJ", "CDEFGHIJ2", "x00000000"],
  );
});
