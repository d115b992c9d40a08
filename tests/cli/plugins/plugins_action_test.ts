import assert from "node:assert/strict";
import { parseCommandLine } from "../../../src/cli/command_line.ts";
import { PLUGINS_USAGE } from "../../../src/cli/plugins/plugins_action.ts";

Deno.test("parseCommandLine() understands tau plugins", async () => {
  const cases: [string, object][] = [
    ["", { action: "list", json: false, timeoutMs: undefined }],
    ["list --json", { action: "list", json: true, timeoutMs: undefined }],
    ["list --timeout 5s", { action: "list", json: false, timeoutMs: 5000 }],
    ["check a.ts --json --timeout 1", {
      action: "check",
      file: "a.ts",
      json: true,
      timeoutMs: 1000,
    }],
    ["new x", { action: "new", name: "x", inProject: false, asFolder: false }],
    ["new x --project --dir", {
      action: "new",
      name: "x",
      inProject: true,
      asFolder: true,
    }],
    ["types", { action: "types" }],
  ];
  for (const [words, action] of cases) {
    assert.deepEqual(
      await parseCommandLine(["plugins", ...words.split(" ").filter(Boolean)]),
      { kind: "plugins", action },
      words,
    );
  }
});

Deno.test("parseCommandLine() refuses words and options of tau plugins that do not go together", async () => {
  const wrong = [
    "list a",
    "check",
    "check a b",
    "check a --project",
    "new",
    "new a b",
    "new a --json",
    "new a --timeout 5",
    "types a",
    "types --json",
    "types --dir",
    "constructor",
    "write me one",
  ];
  for (const words of wrong) {
    assert.deepEqual(
      await parseCommandLine(["plugins", ...words.split(" ")]),
      { kind: "invalid", message: PLUGINS_USAGE },
      words,
    );
  }
});
