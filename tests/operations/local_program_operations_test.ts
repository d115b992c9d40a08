import assert from "node:assert/strict";
import { createLocalProgramOperations } from "../../src/operations/local_program_operations.ts";
import { inTempFolder } from "../support/temp_folder.ts";

async function withPrograms(
  test: (
    run: ReturnType<typeof createLocalProgramOperations>["run"],
    place: { cwd: string; killed: string[] },
  ) => Promise<void>,
): Promise<void> {
  await inTempFolder(async (root) => {
    const cwd = `${root}/work`;
    await Deno.mkdir(`${cwd}/deep`, { recursive: true });
    const killed: string[] = [];
    const { run } = createLocalProgramOperations({
      cwd,
      environment: { PATH: Deno.env.get("PATH") ?? "", MINE: "yes" },
      killTree: (marker) => {
        killed.push(marker);
        return Promise.resolve();
      },
    });
    await test(run, { cwd, killed });
  });
}

Deno.test("run() gives both outputs and the code, and no shell looks at the arguments", async () => {
  await withPrograms(async (run, { cwd }) => {
    const script =
      'printf "%s|" "$@" "$MINE" "$HOME" "$(pwd)"; echo bad >&2; exit 7';
    const args = ["-c", script, "sh", "$HOME; *"];
    assert.deepEqual(await run("sh", args, { cwd: "deep" }), {
      stdout: `$HOME; *|yes||${cwd}/deep|`,
      stderr: "bad\n",
      code: 7,
      killed: false,
      truncated: false,
    });
  });
});

Deno.test("run() keeps the beginning of a long output", async () => {
  await withPrograms(async (run) => {
    const { stdout, truncated } = await run("seq", ["100000"], { maxBytes: 9 });
    assert.equal(stdout, "1\n2\n3\n4\n5");
    assert.equal(truncated, true);
  });
});

Deno.test("run() tells a program to end at its time limit and on an abort, with what it started", async () => {
  await withPrograms(async (run, { killed }) => {
    const script = "trap 'echo told; exit 3' TERM; sleep 60 & wait";
    const late = await run("sh", ["-c", script], { timeoutMs: 300 });
    const { stdout, code: lateCode } = late;
    assert.deepEqual([late.killed, lateCode, stdout], [true, 3, "told\n"]);
    const stop = new AbortController();
    const running = run("sleep", ["60"], { signal: stop.signal });
    stop.abort();
    const { killed: isKilled, code } = await running;
    assert.deepEqual([isKilled, code], [true, 143]);
    assert.equal(killed.length, 2);
    await assert.rejects(run("true", [], { signal: stop.signal }), {
      name: "AbortError",
    });
  });
});

Deno.test("run() starts nothing outside the working folder, also through a link, and nothing that is not there", async () => {
  await withPrograms(async (run, { cwd }) => {
    await Deno.symlink("/", `${cwd}/out`);
    for (const folder of ["..", "/", "out", "deep/../.."]) {
      const call = run("true", [], { cwd: folder });
      await assert.rejects(call, Deno.errors.PermissionDenied);
    }
    await assert.rejects(run("no-such-program", []), Deno.errors.NotFound);
  });
});
