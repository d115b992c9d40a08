/**
 * Ids of the processes that were started with `name=value` in their
 * environment, zombies left out. Linux.
 */
export async function processesWith(
  name: string,
  value: string,
): Promise<number[]> {
  const found: number[] = [];
  for (const { pid, environment } of await allEnvironments()) {
    if (environment.includes(`${name}=${value}`)) found.push(pid);
  }
  return found;
}

/** The environments of the processes that carry `name=value`, as the system shows them to others. */
export async function environmentsWith(
  name: string,
  value: string,
): Promise<string[][]> {
  const all = await allEnvironments();
  return all.map(({ environment }) => environment)
    .filter((environment) => environment.includes(`${name}=${value}`));
}

/** Resolves when no such process is left, or with those that are after `limitMs`. */
export async function leftAfter(
  limitMs: number,
  { name, value }: { name: string; value: string },
): Promise<number[]> {
  const endMs = performance.now() + limitMs;
  while (true) {
    const left = await processesWith(name, value);
    if (left.length === 0 || performance.now() > endMs) return left;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Ends processes of a test, whatever became of them; never this one. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    if (pid === Deno.pid) continue;
    try {
      Deno.kill(pid, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}

async function allEnvironments(): Promise<
  { pid: number; environment: string[] }[]
> {
  const all: { pid: number; environment: string[] }[] = [];
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const text = await Deno.readTextFile(`/proc/${name}/environ`);
      all.push({ pid: Number(name), environment: text.split("\0") });
    } catch {
      // It has ended meanwhile, or belongs to somebody else.
    }
  }
  return all;
}
