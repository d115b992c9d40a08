/** Time for which marked processes may keep appearing: on a busy machine a killed one takes its time to leave. */
const LIMIT_MS = 3000;

/** Gives a killed process the time to leave the table. */
const ROUND_PAUSE_MS = 5;

/** A process without an environment that is older has none; a younger one may be replacing its program just now. */
const YOUNG_S = 3;

/** Findings of one look at the process table. */
interface Found {
  pids: number[];
  /** True when a process could not be judged yet. */
  isUnsettled: boolean;
}

/**
 * Kills every process that was started with `variable=value` in its
 * environment, also those that left their process group with setsid. Resolves
 * with how many it killed, once no more is found, or after three seconds.
 *
 * The marker must be a `TAU_*` variable with an unpredictable value of at
 * least 16 letters, digits, `_` or `-`: a request that would match ordinary
 * processes (`HOME=…`) throws a `TypeError`. Never kills this process. Needs
 * `-A` on Linux, where Deno refuses `/proc` to anything less. A process that
 * wrote over its own environment is not found; neither is any on Windows.
 *
 * @param run only processes of this run, by their `TAU_RUN`: who names the
 * value may be no friend of other runs
 */
export async function killMarkedProcesses(
  variable: string,
  value: string,
  run?: string,
): Promise<number> {
  if (!/^TAU_[A-Z_]+$/.test(variable) || !/^[\w-]{16,200}$/.test(value)) {
    throw new TypeError(`Cannot kill by ${variable}: not a marker`);
  }
  if (Deno.build.os === "windows") return 0;
  const find = Deno.build.os === "linux" ? findInProc : findWithPs;
  const marks = [
    `${variable}=${value}`,
    ...(run === undefined ? [] : [`TAU_RUN=${run}`]),
  ];
  const killed = new Set<number>();
  const endMs = performance.now() + LIMIT_MS;
  while (performance.now() < endMs) {
    const { pids, isUnsettled } = await find(marks);
    const hit = pids.filter((pid) => pid !== Deno.pid && kill(pid));
    if (hit.length === 0 && !isUnsettled) break;
    for (const pid of hit) killed.add(pid);
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

async function findInProc(marks: readonly string[]): Promise<Found> {
  const all: number[] = [];
  for await (const { name } of Deno.readDir("/proc")) {
    if (/^\d+$/.test(name)) all.push(Number(name));
  }
  const pids: number[] = [];
  let isUnsettled = false;
  await Promise.all(all.map(async (pid) => {
    try {
      const environ = await Deno.readFile(`/proc/${pid}/environ`);
      const text = new TextDecoder("latin1").decode(environ);
      if (text === "") isUnsettled ||= await isChangingProgram(pid);
      else if (marks.every((mark) => `\0${text}\0`.includes(`\0${mark}\0`))) {
        pids.push(pid);
      }
    } catch (error) {
      if (error instanceof Deno.errors.NotCapable) throw error;
      // It has ended meanwhile, or belongs to somebody else.
    }
  }));
  return { pids, isUnsettled };
}

/** Flags of a kernel thread and of a process that is ending, in `/proc/*\/stat` (include/linux/sched.h). */
const NO_PROGRAM = 0x00200000 | 0x00000004;
/** Ticks of a second in `/proc/*\/stat`: the same on every Linux platform. */
const TICKS = 100;

/** While a process replaces its program, the system shows it without an environment. */
async function isChangingProgram(pid: number): Promise<boolean> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  // The name in the second field may hold spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, flags, startTicks] = [fields[0], fields[6], fields[19]];
  if (state === "Z" || state === "X") return false;
  if ((Number(flags) & NO_PROGRAM) !== 0) return false;
  return Deno.osUptime() - Number(startTicks) / TICKS < YOUNG_S;
}

async function findWithPs(marks: readonly string[]): Promise<Found> {
  const { stdout } = await new Deno.Command("ps", {
    args: ["axeww", "-o", "pid=", "-o", "command="],
    stdin: "null",
    stderr: "null",
  }).output();
  const pids: number[] = [];
  for (const line of new TextDecoder().decode(stdout).split("\n")) {
    if (marks.every((mark) => `${line} `.includes(` ${mark} `))) {
      pids.push(parseInt(line, 10));
    }
  }
  return { pids: pids.filter(Number.isSafeInteger), isUnsettled: false };
}
