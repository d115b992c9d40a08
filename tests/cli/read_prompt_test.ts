import assert from "node:assert/strict";
import {
  type PromptPart,
  promptParts,
  readPrompt,
} from "../../src/cli/read_prompt.ts";
import { UsageError } from "../../src/settings/usage_error.ts";
import { FakeSource } from "./fake_streams.ts";

const STDIN: PromptPart = { stdin: true };

function words(...texts: string[]): PromptPart[] {
  return texts.map((text) => ({ text }));
}

Deno.test("promptParts() finds stdin and files among the words, and none behind --", () => {
  const typed = ["@a b.txt", "x", "@", "-"];
  assert.deepEqual(promptParts({ words: typed, literal: typed }), [
    { file: "a b.txt" },
    ...words("x", "@"),
    STDIN,
    ...words(...typed),
  ]);
});

Deno.test("readPrompt() joins words and leaves stdin alone", async () => {
  const stdin = new FakeSource(["unasked for"]);
  assert.equal(await readPrompt(words("say", "ok"), stdin), "say ok");
  assert.equal(stdin.reads, 0);
});

Deno.test("readPrompt() puts stdin in the place of the dash", async () => {
  const stdin = new FakeSource(["line 1\nline", " 2\r\n\n"]);
  const parts = [...words("review", "this:"), STDIN, ...words("please")];
  assert.equal(
    await readPrompt(parts, stdin),
    "review this: line 1\nline 2 please",
  );
});

Deno.test("readPrompt() reads stdin without words, characters cut between reads included", async () => {
  const bytes = new TextEncoder().encode("grün");
  const stdin = new FakeSource([bytes.subarray(0, 3), bytes.subarray(3)]);
  assert.equal(await readPrompt([], stdin), "grün");
});

Deno.test("readPrompt() refuses when there is nothing to say", async () => {
  const terminal = new FakeSource(["typed"], true);
  await assert.rejects(readPrompt([], terminal), usageError(/^No prompt: /));
  assert.equal(terminal.reads, 0);
  await assert.rejects(
    readPrompt(words(""), new FakeSource(["unasked for"])),
    usageError(/^No prompt: /),
  );
  await assert.rejects(
    readPrompt([], new FakeSource(["\n \n"])),
    usageError(/^Stdin is empty: .*tau -p/),
  );
});

Deno.test("readPrompt() takes files for words that say nothing", async () => {
  const stdin = new FakeSource(["unasked for"]);
  const file = { file: "a.txt" };
  assert.equal(await readPrompt([file], stdin), "");
  assert.equal(
    await readPrompt([...words("a"), file, ...words("b")], stdin),
    "a b",
  );
  assert.equal(stdin.reads, 0);
});

Deno.test("readPrompt() refuses two dashes", async () => {
  await assert.rejects(
    readPrompt([STDIN, STDIN], new FakeSource(["x"])),
    usageError(/given twice/),
  );
});

Deno.test("readPrompt() stops reading past 10 MiB", async () => {
  const mebibyte = new Uint8Array(1024 * 1024).fill(120);
  const exact = new FakeSource(Array(10).fill(mebibyte));
  assert.equal((await readPrompt([], exact)).length, 10 * 1024 * 1024);
  const more = new FakeSource(Array(50).fill(mebibyte));
  await assert.rejects(readPrompt([], more), usageError(/larger than 10 MiB/));
  assert.ok(more.reads < 200);
});

Deno.test("readPrompt() says why stdin cannot be read", async () => {
  const stdin = {
    isTerminal: () => false,
    read: () => Promise.reject(new Error("Is a directory (os error 21)")),
  };
  await assert.rejects(
    readPrompt([], stdin),
    usageError(/Cannot read the prompt from stdin: Is a directory/),
  );
});

function usageError(pattern: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof UsageError && pattern.test(error.message);
}
