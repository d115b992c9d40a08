import assert from "node:assert/strict";
import { checkFlagValues } from "../../src/host/plugin_flag_values.ts";
import type { PluginFlag } from "../../src/sdk/plugin_api.ts";

Deno.test("checkFlagValues() refuses what no plugin has, and values that a flag does not take", () => {
  const flags = new Map<string, PluginFlag>([
    ["city", { type: "string" }],
    ["loud", { type: "boolean", default: false }],
  ]);
  const table: [string, string | true, RegExp?][] = [
    ["city", "Oslo"],
    ["city", ""],
    ["loud", true],
    ["city", true, /city needs one, as in city=…/],
    ["loud", "yes", /"loud=yes" for --plugin-flag: loud takes no value/],
    ["town", "Oslo", /no plugin has it; there are city, loud/],
    ["ctiy", "Oslo", /no plugin has it; did you mean city$/],
    ["constructor", true, /no plugin has it/],
  ];
  for (const [name, value, message] of table) {
    const check = () => checkFlagValues(new Map([[name, value]]), flags);
    if (message) assert.throws(check, { name: "PluginFlagError", message });
    else check();
  }
  assert.throws(
    () => checkFlagValues(new Map([["a", true]]), new Map()),
    /no plugin has it, nor any other/,
  );
});
