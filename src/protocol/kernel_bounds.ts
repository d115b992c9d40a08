// Bounds of what a kernel says as a whole. Those of each kind of message stand
// in the table of `kernel_protocol.ts`.

/** Phase of a kernel: until `hello`, until `ready` where it loads plugins, then until the end. */
export type KernelPhase = "starting" | "loading" | "serving" | "closing";

/** The largest number of levels that a value of a message may have. */
export const MAX_LEVELS = 64;
/** Messages of one kernel that may be about what is over. */
export const MAX_LATE = 10_000;
/** Bytes of all messages in ten seconds. */
export const MAX_BYTES = 128 * 1024 * 1024;
/** Messages in ten seconds; progress has a bound of its own. */
export const MAX_MESSAGES = 20_000;
/** Requests that may be open at once, by their kind. */
export const MAX_OPEN_REQUESTS = {
  dialog: 32,
  fetch: 8,
  call: 256,
  kill: 64,
};
/** Requests that may be open at once, of all kinds. */
export const MAX_OPEN = 512;
