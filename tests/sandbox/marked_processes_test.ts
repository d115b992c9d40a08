import assert from "node:assert/strict";
import { killMarkedProcesses } from "../../src/sandbox/marked_processes.ts";
import { needing } from "../support/needs.ts";

function marker(): string {
  return crypto.randomUUID();
}

/** A shell that has left its process group and says so, with `environment`. */
async function start(env: Record<string, string>): Promise<Deno.ChildProcess> {
  const child = new Deno.Command("sh", {
    args: ["-c", "echo up; exec sleep 60"],
    env,
    detached: true,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  await reader.cancel();
  return child;
}

needing("linux")(
  "killMarkedProcesses() kills exactly the processes with the marker",
  async () => {
    const value = marker();
    const mine = await start({ TAU_CALL: value });
    const also = await start({ TAU_CALL: value });
    const longer = await start({ TAU_CALL: `${value}0` });
    const other = await start({ OTHER_TAU_CALL: value });
    try {
      assert.equal(await killMarkedProcesses("TAU_CALL", value), 2);
      assert.equal((await mine.status).signal, "SIGKILL");
      assert.equal((await also.status).signal, "SIGKILL");
    } finally {
      longer.kill("SIGTERM");
      other.kill("SIGTERM");
    }
    assert.equal((await longer.status).signal, "SIGTERM");
    assert.equal((await other.status).signal, "SIGTERM");
  },
);

needing("linux")(
  "killMarkedProcesses() leaves the processes of other runs alone",
  async () => {
    const [value, run] = [marker(), marker()];
    const mine = await start({ TAU_CALL: value, TAU_RUN: run });
    const other = await start({ TAU_CALL: value, TAU_RUN: marker() });
    try {
      assert.equal(await killMarkedProcesses("TAU_CALL", value, run), 1);
      assert.equal((await mine.status).signal, "SIGKILL");
    } finally {
      other.kill("SIGTERM");
    }
    assert.equal((await other.status).signal, "SIGTERM");
  },
);

Deno.test("killMarkedProcesses() finds nothing where nothing is marked", async () => {
  assert.equal(await killMarkedProcesses("TAU_CALL", marker()), 0);
});

Deno.test("killMarkedProcesses() refuses what could match ordinary processes", async () => {
  for (
    const [name, value] of [["HOME", marker()], ["TAU_CALL", ""], [
      "TAU_CALL",
      "/root/some/folder/x",
    ]]
  ) {
    await assert.rejects(
      killMarkedProcesses(name as string, value as string),
      TypeError,
    );
  }
});
