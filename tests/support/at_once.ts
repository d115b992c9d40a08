/**
 * Runs a test with each of several values at the same time, since it waits
 * more than it works. Fails when all have ended, so that none runs on into the
 * next test.
 */
export async function atOnce<Value>(
  values: readonly Value[],
  test: (value: Value) => Promise<unknown>,
): Promise<void> {
  const outcomes = await Promise.allSettled(values.map(test));
  for (const outcome of outcomes) {
    if (outcome.status === "rejected") throw outcome.reason;
  }
}
