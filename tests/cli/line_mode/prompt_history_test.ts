import assert from "node:assert/strict";
import { PromptHistory } from "../../../src/cli/line_mode/prompt_history.ts";
import { inTempFolder } from "../../support/temp_folder.ts";

Deno.test("PromptHistory.add() keeps prompts of several lines for the next program, for nobody else to read", async () => {
  await inTempFolder((folder) => {
    const home = `${folder}/not yet/home`;
    const history = new PromptHistory(home);
    assert.deepEqual(history.read(), []);
    history.add("one\nand more");
    history.add("__proto__");
    assert.deepEqual(new PromptHistory(home).read(), [
      "one\nand more",
      "__proto__",
    ]);
    const { mode } = Deno.statSync(`${home}/history.jsonl`);
    assert.equal((mode ?? 0) & 0o777, 0o600);
  });
});

Deno.test("PromptHistory.read() leaves out what is no prompt", async () => {
  await inTempFolder((home) => {
    const path = `${home}/history.jsonl`;
    Deno.writeTextFileSync(
      path,
      '"a"\n{"b":1}\nnull\n\n[1]\n"torn\n\xff\n12\n"z"\n"no end"',
    );
    assert.deepEqual(new PromptHistory(home).read(), ["a", "z", "no end"]);
    Deno.writeFileSync(path, new Uint8Array(5 * 1024 * 1024));
    assert.deepEqual(new PromptHistory(home).read(), []);
    new PromptHistory(home).add("after it");
    assert.deepEqual(new PromptHistory(home).read(), ["after it"]);
  });
});

Deno.test("PromptHistory keeps nothing where it cannot, and does not mind", async () => {
  await inTempFolder((home) => {
    const none = new PromptHistory(undefined);
    none.add("a");
    assert.deepEqual(none.read(), []);
    Deno.mkdirSync(`${home}/history.jsonl`);
    const blocked = new PromptHistory(home);
    blocked.add("a");
    assert.deepEqual(blocked.read(), []);
    Deno.writeTextFileSync(`${home}/file`, "");
    const below = new PromptHistory(`${home}/file/home`);
    below.add("a");
    assert.deepEqual(below.read(), []);
  });
});

Deno.test("PromptHistory.add() begins a file that grew long anew with the latest, and leaves out a prompt that is too long", async () => {
  await inTempFolder((home) => {
    const history = new PromptHistory(home);
    for (let i = 0; i < 60; i++) history.add(`${i} ${"x".repeat(20_000)}`);
    const { size } = Deno.statSync(`${home}/history.jsonl`);
    assert(size <= 1024 * 1024, `${size}`);
    assert.match(history.read().at(-1) ?? "", /^59 /);
    history.add("y".repeat(1024 * 1024));
    assert.match(history.read().at(-1) ?? "", /^59 /);
  });
});
