import assert from "node:assert/strict";
import { atOnce } from "../support/at_once.ts";
import type { PuppetStep } from "../support/kernels/puppet.ts";
import {
  type HostRun,
  type HostRunOptions,
  resultOf,
  runPuppet,
} from "../support/host_run.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const CHILD: PuppetStep = { child: "exec sleep 300" };

/** Runs a call whose kernel fails, and checks what holds for each way of failing. */
async function fails(
  steps: PuppetStep[],
  { reason, ...options }: { reason: RegExp } & Omit<HostRunOptions, "cwd">,
): Promise<HostRun> {
  let run: HostRun | undefined;
  await inTempFolder(async (cwd) => {
    run = await runPuppet([{ show: "setup" }, CHILD, ...steps], {
      ...options,
      cwd,
    });
    const { result, log, left } = run;
    assert.equal(result.status, "completed", result.error?.message);
    assert.equal(result.text, "ended");
    assert.equal(result.kernels?.length, 1);
    assert.match(result.kernels?.[0]?.reason ?? "", reason);
    assert.deepEqual(result.kernels?.[0]?.openCalls, ["bash"]);
    assert.match(
      resultOf(run),
      /^The kernel ended while this call ran \([^]*\); it may have run in part or to its end: look before you repeat it/,
    );
    assert.deepEqual(left, [], "processes are left");
    await assert.rejects(Deno.stat(outputDirOf(log)), Deno.errors.NotFound);
  });
  return run as HostRun;
}

function outputDirOf(log: string[]): string {
  const line = log.find((line) => line.startsWith("setup "));
  return JSON.parse(line?.slice("setup ".length) ?? "{}").outputDir;
}

Deno.test("startRun() tells of a kernel that exits by itself", async () => {
  await fails([{ exit: 3 }], {
    reason: /^The kernel ended by itself with code 3/,
  });
});

Deno.test("startRun() tells of a kernel that exits without a word and without an error", async () => {
  await fails([{ exit: 0 }], { reason: /code 0/ });
});

Deno.test("startRun() quotes the last words of a kernel", async () => {
  const { result } = await fails([
    {
      printError: "first\n" + "x".repeat(5000) + "\nUncaught: my last words\n",
    },
    { exit: 1 },
  ], { reason: /its last words:/ });
  const [death] = result.kernels ?? [];
  assert.match(death?.reason ?? "", /Uncaught: my last words$/);
  assert((death?.reason.length ?? 0) < 3000);
});

Deno.test("startRun() tells of a kernel that is ended by a signal", async () => {
  await fails([{ signal: "SIGTERM" }], {
    reason: /^The kernel was ended by SIGTERM/,
  });
  await fails([{ signal: "SIGKILL" }], {
    reason: /^The kernel was ended by SIGKILL/,
  });
});

Deno.test("startRun() ends a kernel that never gives JavaScript back", async () => {
  await fails([{ spin: true }], {
    reason: /^The kernel hung: no sign of life/,
    heartbeatMs: 400,
  });
});

Deno.test("startRun() ends with 32 when a kernel dies before it serves, twice in a row", async () => {
  await inTempFolder(async (cwd) => {
    const { result, left } = await runPuppet([], {
      cwd,
      start: [CHILD, { exit: 3 }],
    });
    assert.equal(result.status, "kernel_failed");
    assert.equal(result.exitCode, 32);
    assert.equal(
      result.error?.message,
      "The kernel ended by itself with code 3",
    );
    assert.equal(result.kernels?.length, 2);
    assert.deepEqual(left, []);
  });
});

Deno.test("startRun() ends a kernel whose process is suspended", async () => {
  await fails([{ signal: "SIGSTOP" }], {
    reason: /^The kernel hung/,
    heartbeatMs: 400,
  });
});

Deno.test("startRun() tells of a kernel whose heap overflows", async () => {
  await fails([{ allocate: true }], {
    reason: /heap|memory|SIG(ABRT|TRAP|ILL)/i,
    kernelHeapMb: 40,
  });
});

Deno.test("startRun() ends a kernel that floods its pipe with text", async () => {
  const { log } = await fails([{ printForEver: "flood\n" }], {
    reason: /^The kernel flooded its pipe: too much text/,
  });
  const printed = log.reduce((sum, line) => sum + line.length + 1, 0);
  assert(printed < 17_000_000, `${printed} characters were passed on`);
});

Deno.test("startRun() ends a kernel that floods its pipe with a line without end", async () => {
  await fails([{ printForEver: "flood " }], {
    reason: /^The kernel flooded its pipe: too much text/,
  });
});

Deno.test("startRun() ends a kernel whose message is too long", async () => {
  await fails([{ sendLong: 65 * 1024 * 1024 }], {
    reason: /^The kernel flooded its pipe: a line is longer than/,
  });
});

Deno.test("startRun() ends a kernel that floods its pipe with messages", async () => {
  await fails([
    { flood: { type: "pong", n: 1 }, times: 30_000 },
    { spin: true },
  ], { reason: /^The kernel flooded its pipe: too much messages/ });
});

const PIPES = ["stdout", "stderr"] as const;

Deno.test("startRun() ends when a child of a dead kernel keeps one of its pipes", async () => {
  await atOnce(
    PIPES,
    (keeps) =>
      fails([{ child: "exec sleep 300", keeps }, { exit: 4 }], {
        reason: /code 4/,
      }),
  );
});

Deno.test("startRun() ends when a child of a dead kernel goes on printing to one of its pipes", async () => {
  await atOnce(PIPES, (keeps) => {
    const target = keeps === "stderr" ? ">&2" : "";
    const child = `while echo print ${target}; do sleep 0.05; done`;
    return fails([{ child, keeps }, { exit: 4 }], { reason: /code 4/ });
  });
});
