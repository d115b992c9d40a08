import assert from "node:assert/strict";
import fc from "fast-check";
import {
  addedText,
  type UserShell,
  userShell,
} from "../../src/host/user_shell.ts";
import { createLocalBashOperations } from "../../src/operations/local_shell_operations.ts";
import { createBashToolDefinition } from "../../src/tools/factories.ts";
import { inTempFolder } from "../support/temp_folder.ts";

function run(
  cwd: string,
  command: string,
  onText: (delta: string) => void = () => {},
  signal = new AbortController().signal,
): ReturnType<UserShell> {
  const bash = createBashToolDefinition(cwd, {
    operations: createLocalBashOperations({
      environment: { PATH: Deno.env.get("PATH") ?? "" },
      killTree: () => Promise.resolve(),
    }),
    outputDir: `${cwd}/out`,
  });
  const shell = userShell((command, { id, signal, onUpdate }) =>
    bash.execute(id, { command }, signal, onUpdate, { cwd })
  );
  return shell(command, { signal, onText });
}

Deno.test("userShell() tells what a command prints while it runs, each piece once", async () => {
  await inTempFolder(async (cwd) => {
    let told = "";
    const result = await run(
      cwd,
      "echo first; while [ ! -e go ]; do sleep 0.02; done; echo second; exit 3",
      (delta) => {
        told += delta;
        if (told === "first\n") Deno.writeTextFileSync(`${cwd}/go`, "");
      },
    );
    assert.deepEqual(result, {
      output: "first\nsecond\n\nCommand exited with code 3",
      exitCode: 3,
      cancelled: false,
      truncated: false,
    });
    assert.equal(told, result.output);
  });
});

Deno.test("userShell() says of a command that was stopped what it had printed", async () => {
  await inTempFolder(async (cwd) => {
    const stop = new AbortController();
    const result = await run(
      cwd,
      "echo begun; sleep 60",
      () => stop.abort(),
      stop.signal,
    );
    assert.deepEqual([result.cancelled, result.exitCode], [true, null]);
    assert.equal(result.output, "begun\n\nCommand aborted");
  });
});

Deno.test("userShell() goes on telling when an output is longer than what is kept", async () => {
  await inTempFolder(async (cwd) => {
    let told = "";
    const result = await run(cwd, "seq 1 30000", (delta) => told += delta);
    assert.equal(result.truncated, true);
    assert.equal(typeof result.fullOutputPath, "string");
    assert.match(told, /\n30000\n/);
    assert(told.length < 400_000);
  });
});

Deno.test("addedText() tells a growing text once, also when its beginning is cut off", () => {
  fc.assert(fc.property(
    fc.array(fc.stringMatching(/^[a-z]{0,9}\n?$/)),
    (pieces) => {
      let before = "";
      let told = "";
      for (const piece of pieces) {
        told += addedText(before, before + piece);
        before += piece;
      }
      assert.equal(told, before);
    },
  ));
  const lines = Array.from({ length: 300 }, (_, n) => `line ${n}\n`);
  const [before, after] = [lines.slice(0, 200), lines.slice(100)];
  assert.equal(
    addedText(before.join(""), after.join("")),
    lines.slice(200).join(""),
  );
  assert.equal(addedText("all other", "new"), "\n…\nnew");
});
