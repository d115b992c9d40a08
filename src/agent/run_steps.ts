/** Work that yields each promise that has to settle before it goes on. */
export type Steps = Generator<PromiseLike<void>, void, void>;

/**
 * Runs steps to their end, as an `async` function would whose `yield` were
 * `await`; but where they yield nothing they are over when this returns. An
 * event whose listeners return nothing must not cost a promise each.
 */
export function runSteps(steps: Steps): void | Promise<void> {
  const { done, value } = steps.next();
  if (!done) return finish(steps, value);
}

async function finish(steps: Steps, first: PromiseLike<void>): Promise<void> {
  let next: IteratorResult<PromiseLike<void>, void> = { value: first };
  while (!next.done) {
    try {
      await next.value;
    } catch (error) {
      next = steps.throw(error);
      continue;
    }
    next = steps.next();
  }
}
