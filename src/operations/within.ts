/** Resolves when the promise settles, at the latest after `ms`; a rejection before that is passed on. */
export async function within(
  ms: number,
  promise: Promise<unknown>,
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => timer = setTimeout(resolve, ms));
  try {
    await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
