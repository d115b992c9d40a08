import assert from "node:assert/strict";
import {
  ExecAbortedError,
  type ExecOptions,
  ExecTimeoutError,
} from "../../src/operations/bash_operations.ts";
import {
  createLocalBashOperations,
  type LocalShellOperations,
} from "../../src/operations/local_shell_operations.ts";
import { killMarkedProcesses } from "../../src/sandbox/marked_processes.ts";
import { countListeners } from "../support/listener_count.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const environment = { PATH: Deno.env.get("PATH") ?? "", HOME: "/nonexistent" };
const operations = createLocalBashOperations({
  environment,
  killTree: (marker) => killMarkedProcesses("TAU_CALL", marker),
});

async function run(
  command: string,
  options: Partial<ExecOptions> & { on?: LocalShellOperations; cwd?: string } =
    {},
): Promise<{ output: string; exitCode: number | null; signal?: string }> {
  const { on = operations, cwd = "/", ...rest } = options;
  const chunks: Uint8Array[] = [];
  const onData = (chunk: Uint8Array) => void chunks.push(chunk);
  const result = await on.exec(command, cwd, { onData, ...rest });
  return { output: await new Blob(chunks as BlobPart[]).text(), ...result };
}

/** Whether a process lives, zombies aside. */
async function lives(pid: number): Promise<boolean> {
  try {
    const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
    return !/\) [ZX] /.test(stat);
  } catch {
    return false;
  }
}

/** Resolves with the pids that a command prints as `pid N`, once there are `count`. */
function pidsOf(
  count: number,
): { onData(chunk: Uint8Array): void; pids: Promise<number[]> } {
  const { promise, resolve } = Promise.withResolvers<number[]>();
  let output = "";
  return {
    pids: promise,
    onData(chunk) {
      output += new TextDecoder().decode(chunk);
      const found = [...output.matchAll(/pid (\d+)\n/g)].map((match) =>
        Number(match[1])
      );
      if (found.length >= count) resolve(found);
    },
  };
}

const TREE =
  `sleep 300 & echo "pid $!"; setsid sh -c 'echo "pid $$"; exec sleep 300' & wait`;

Deno.test("exec() gives both streams in the order in which they were written", async () => {
  const lines = Array.from(
    { length: 50 },
    (_, i) => `echo ${i}${i % 2 ? " >&2" : ""}`,
  );
  assert.deepEqual(await run(lines.join("\n")), {
    output: lines.map((_, i) => `${i}\n`).join(""),
    exitCode: 0,
  });
});

Deno.test("exec() tells how the shell ended", async () => {
  for (
    const [command, end] of [
      ["exit 7", { exitCode: 7 }],
      ["false | true", { exitCode: 0 }],
      ["kill -s TERM $$; sleep 5", { exitCode: 143, signal: "SIGTERM" }],
    ] as const
  ) assert.deepEqual(await run(command), { output: "", ...end });
});

Deno.test("exec() takes a command that begins with a dash for a command", async () => {
  const { output, exitCode } = await run("--version");
  assert.match(output, /--version: command not found/);
  assert.equal(exitCode, 127);
});

Deno.test("exec() gives commands its environment, the call's own and a marker, nothing else", async () => {
  const on = createLocalBashOperations({
    environment: {
      ...environment,
      TAU_SESSION_ID: "inherited",
      TAU_RUN: "r",
      KEPT: "yes",
    },
  });
  const { output } = await run("env", {
    on,
    env: { TAU_MODEL: "m", KEPT: "changed" },
  });
  const names = Object.fromEntries(
    output.trim().split("\n").map((line) => line.split(/=(.*)/s).slice(0, 2)),
  );
  assert.match(names.TAU_CALL, /^[\w-]{36}$/);
  assert.deepEqual(
    Object.keys(names).filter((name) =>
      !["TAU_CALL", "PWD", "SHLVL", "_", "OLDPWD"].includes(name)
    ).sort(),
    ["HOME", "KEPT", "PATH", "TAU_MODEL", "TAU_RUN"],
  );
  assert.equal(names.KEPT, "changed");
});

Deno.test("exec() ends every process of a command on timeout and on abort, also those in sessions of their own", async () => {
  for (const way of ["timeout", "abort"]) {
    const { onData, pids } = pidsOf(2);
    const controller = new AbortController();
    const listeners = countListeners(controller.signal);
    const call = operations.exec(TREE, "/", {
      onData,
      signal: controller.signal,
      timeoutMs: way === "timeout" ? 300 : 60_000,
    });
    const ended = assert.rejects(
      call,
      way === "timeout" ? ExecTimeoutError : ExecAbortedError,
    );
    const started = await pids;
    assert.deepEqual(await Promise.all(started.map(lives)), [true, true]);
    if (way === "abort") controller.abort();
    await ended;
    assert.deepEqual(await Promise.all(started.map(lives)), [false, false]);
    assert.equal(listeners.left(), 0);
  }
});

Deno.test("exec() runs nothing when the signal has aborted before", () =>
  inTempFolder(async (cwd) => {
    const call = run("touch made", { cwd, signal: AbortSignal.abort() });
    await assert.rejects(call, ExecAbortedError);
    assert.deepEqual(await Array.fromAsync(Deno.readDir(cwd)), []);
  }));

Deno.test("exec() returns while a background process holds the output, which lives on and may print", () =>
  inTempFolder(async (cwd) => {
    const on = createLocalBashOperations({ environment });
    // It prints after the call has returned, into a pipe that somebody must
    // read: SIGPIPE would end it before it writes the file.
    const background = `(
      while [ ! -e go ]; do sleep 0.02; done
      i=0; while [ $i -lt 3000 ]; do echo 0123456789012345678901234567890123456789; i=$((i+1)); done
      echo done > end
    ) & echo "started $!"`;
    let late = 0;
    let settled = false;
    const startMs = performance.now();
    await on.exec(background, cwd, { onData: () => void (settled && late++) });
    settled = true;
    assert.ok(performance.now() - startMs < 2000);
    const watcher = Deno.watchFs(cwd);
    await Deno.writeTextFile(`${cwd}/go`, "");
    for await (const event of watcher) {
      if (event.kind === "modify" && event.paths[0]?.endsWith("/end")) break;
    }
    assert.equal(late, 0);
    await on.close();
  }));

Deno.test("close() lets go of the output of background processes", async () => {
  const on = createLocalBashOperations({ environment });
  const { output } = await run("sleep 60 & echo $!", { on });
  await on.close();
  Deno.kill(Number(output), "SIGKILL");
});

Deno.test("exec() reads no faster than its consumer takes", async () => {
  let open = 0;
  let most = 0;
  await run("head -c 500000 /dev/zero", {
    async onData() {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setTimeout(resolve, 0));
      open--;
    },
  });
  assert.equal(most, 1);
});

Deno.test("exec() loses nothing of an output that its consumer takes slowly", async () => {
  let bytes = 0;
  await run("head -c 200000 /dev/zero", {
    async onData(chunk) {
      await new Promise((resolve) => setTimeout(resolve, 130));
      bytes += chunk.length;
    },
  });
  assert.equal(bytes, 200_000);
});

Deno.test("exec() hears an abort while its consumer hangs", async () => {
  const { promise: hangs, resolve } = Promise.withResolvers<void>();
  const controller = new AbortController();
  const startMs = performance.now();
  const call = run("echo a; sleep 60", {
    signal: controller.signal,
    onData() {
      controller.abort();
      return hangs;
    },
  });
  await assert.rejects(call, ExecAbortedError);
  assert.ok(performance.now() - startMs < 2000);
  resolve();
});

Deno.test("exec() aborts all the same when the scan for children fails", async () => {
  const fault = new Error("no scan");
  const on = createLocalBashOperations({
    environment,
    killTree: () => Promise.reject(fault),
  });
  await assert.rejects(run("sleep 60", { on, timeoutMs: 100 }), {
    name: "ExecTimeoutError",
    cause: fault,
  });
});

Deno.test("exec() ends the command when its consumer fails", async () => {
  const { onData, pids } = pidsOf(1);
  const fault = new Error("consumer");
  const call = run('echo "pid $$"; exec sleep 300', {
    onData(chunk) {
      onData(chunk);
      throw fault;
    },
  });
  await assert.rejects(call, fault);
  assert.deepEqual(await Promise.all((await pids).map(lives)), [false]);
});

Deno.test("exec() rejects with the class that fits when the folder is none", async () => {
  const { NotADirectory, NotFound } = Deno.errors;
  await assert.rejects(run("true", { cwd: "/nonexistent/x" }), NotFound);
  await assert.rejects(run("true", { cwd: "/dev/null" }), NotADirectory);
});

Deno.test("exec() uses the shell that is asked for, and says when there is none", async () => {
  const sh = createLocalBashOperations({ environment, shellPath: "/bin/sh" });
  assert.equal((await run("echo $0", { on: sh })).output, "/bin/sh\n");
  const shellPath = "/nonexistent/sh";
  const none = createLocalBashOperations({ environment, shellPath });
  const { output, exitCode } = await run("true", { on: none });
  assert.equal(exitCode, 127);
  assert.match(output, /\/nonexistent\/sh: (?:not found|No such file)/);
});

Deno.test("createOutputFile() makes a file that only its owner may read", () =>
  inTempFolder(async (folder) => {
    const bytes = Uint8Array.of(0, 255, 10);
    const file = await operations.createOutputFile(`${folder}/new/out`);
    await file.write(bytes);
    file.close();
    for (
      const [path, mode] of [[file.path, 0o600], [`${folder}/new/out`, 0o700]]
    ) {
      const stat = await Deno.stat(path as string);
      assert.equal((stat.mode ?? 0) & 0o777, mode);
    }
    assert.deepEqual(await Deno.readFile(file.path), bytes);
    assert.match(file.path, /\/new\/out\/bash-[0-9a-f]{16}\.log$/);
  }));
