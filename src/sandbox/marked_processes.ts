/** How long marked processes may keep appearing: on a busy machine a killed one takes its time to leave. */
const LIMIT_MS = 3000;

/** Gives a killed process the time to leave the table. */
const ROUND_PAUSE_MS = 5;

/** While a process replaces its program, the system shows it without an environment: one look is not enough. */
const EMPTY_ROUNDS = 2;

/**
 * Kills every process that was started with `variable=value` in its
 * environment, also those that left their process group with setsid. Resolves
 * with how many it killed, once two looks in a row find no more, or after three seconds.
 *
 * The marker must be a `TAU_*` variable with an unpredictable value of at
 * least 16 letters, digits, `_` or `-`: a request that would match ordinary
 * processes (`HOME=…`) throws a `TypeError`. Never kills this process. Needs
 * `-A` on Linux, where Deno refuses `/proc` to anything less. A process that
 * wrote over its own environment is not found; neither is any on Windows.
 */
export async function killMarkedProcesses(
  variable: string,
  value: string,
): Promise<number> {
  if (!/^TAU_[A-Z_]+$/.test(variable) || !/^[\w-]{16,200}$/.test(value)) {
    throw new TypeError(`Cannot kill by ${variable}: not a marker`);
  }
  if (Deno.build.os === "windows") return 0;
  const find = Deno.build.os === "linux" ? findInProc : findWithPs;

  const killed = new Set<number>();
  const endMs = performance.now() + LIMIT_MS;
  for (
    let emptyRounds = 0;
    emptyRounds < EMPTY_ROUNDS && performance.now() < endMs;
  ) {
    const pids = (await find(`${variable}=${value}`))
      .filter((pid) => pid !== Deno.pid && kill(pid));
    if (pids.length === 0) {
      emptyRounds++;
      continue;
    }
    emptyRounds = 0;
    for (const pid of pids) killed.add(pid);
    await new Promise((resolve) => setTimeout(resolve, ROUND_PAUSE_MS));
  }
  return killed.size;
}

function kill(pid: number): boolean {
  try {
    Deno.kill(pid, "SIGKILL");
    return true;
  } catch (error) {
    // It has ended meanwhile, or belongs to somebody else.
    if (error instanceof Deno.errors.NotFound) return false;
    if (error instanceof Deno.errors.PermissionDenied) return false;
    throw error;
  }
}

async function findInProc(marker: string): Promise<number[]> {
  const pids: number[] = [];
  for await (const { name } of Deno.readDir("/proc")) {
    if (/^\d+$/.test(name)) pids.push(Number(name));
  }
  const marked = await Promise.all(pids.map(async (pid) => {
    try {
      const environ = await Deno.readFile(`/proc/${pid}/environ`);
      const text = new TextDecoder("latin1").decode(environ);
      return `\0${text}\0`.includes(`\0${marker}\0`);
    } catch (error) {
      if (error instanceof Deno.errors.NotCapable) throw error;
      // It has ended meanwhile, or belongs to somebody else.
      return false;
    }
  }));
  return pids.filter((_, i) => marked[i]);
}

async function findWithPs(marker: string): Promise<number[]> {
  const { stdout } = await new Deno.Command("ps", {
    args: ["axeww", "-o", "pid=", "-o", "command="],
    stdin: "null",
    stderr: "null",
  }).output();
  const pids: number[] = [];
  for (const line of new TextDecoder().decode(stdout).split("\n")) {
    if (`${line} `.includes(` ${marker} `)) pids.push(parseInt(line, 10));
  }
  return pids.filter(Number.isSafeInteger);
}
