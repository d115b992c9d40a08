/**
 * Calls back after a time, in milliseconds, unless the function that it returns
 * is called before. Unlike the first `setTimeout` of a program, which takes 5
 * ms of work in Deno 2.9, it costs nothing: for what a first request waits for.
 */
export function startLightTimer(
  ms: number,
  callback: () => void,
): () => void {
  const signal = AbortSignal.timeout(ms);
  signal.addEventListener("abort", callback, { once: true });
  return () => signal.removeEventListener("abort", callback);
}
