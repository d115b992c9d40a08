import process from "node:process";

/**
 * Runs work and resolves to the most processor time between two turns of a
 * timer: the time of the clock would also count what others do meanwhile.
 */
export async function longestTurn(
  work: () => Promise<unknown>,
): Promise<number> {
  let longest = 0;
  let last = process.cpuUsage();
  const tick = () => {
    const { user, system } = process.cpuUsage(last);
    longest = Math.max(longest, (user + system) / 1000);
    last = process.cpuUsage();
  };
  const timer = setInterval(tick, 1);
  try {
    await work();
    tick();
  } finally {
    clearInterval(timer);
  }
  return longest;
}
