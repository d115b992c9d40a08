import assert from "node:assert/strict";
import {
  helpLines,
  parseLineCommand,
} from "../../../src/cli/line_mode/line_commands.ts";

Deno.test("parseLineCommand() knows the commands by their whole names", () => {
  assert.deepEqual(parseLineCommand("/help"), { name: "help", argument: "" });
  assert.deepEqual(parseLineCommand("/model  openai/gpt-4o "), {
    name: "model",
    argument: "openai/gpt-4o",
  });
  assert.deepEqual(parseLineCommand("/compact keep\nthe plan"), {
    name: "compact",
    argument: "keep\nthe plan",
  });
});

Deno.test("parseLineCommand() takes paths, templates and inherited names for no command", () => {
  for (
    const line of [
      "help",
      "/helpful",
      "/usr/bin/env",
      "/skill:x",
      "/toString",
      "/__proto__",
      "/constructor x",
      "/",
      " /help",
      "/HELP",
    ]
  ) assert.equal(parseLineCommand(line), undefined, line);
});

Deno.test("helpLines() names every command, and the templates that there are", () => {
  const plain = helpLines().join("\n");
  for (const name of ["/model", "/new", "/resume", "/quit", "!command"]) {
    assert(plain.includes(name), name);
  }
  assert.doesNotMatch(plain, /templates/);
  const description = "x".repeat(1000);
  const listed = helpLines([{ name: "review" }, { name: "fix", description }]);
  assert.equal(listed.at(-2), "  /review");
  assert.equal(listed.at(-1)?.length, 200);
});
