import { ToolError } from "../../agent/tool_error.ts";

/** The kernel that was to answer has ended. */
export class KernelGoneError extends Error {
  override name = "KernelGoneError";
}

/** Returns the words for a call whose kernel has ended; all other errors stay as they are. */
export function afterDeath(error: unknown, hasBegun: boolean): Error {
  if (!(error instanceof KernelGoneError)) return error as Error;
  const [reason = ""] = error.message.split("\n", 1);
  return new ToolError(
    hasBegun
      ? `The kernel ended while this call ran (${reason}); it may have run in part or to its end: look before you repeat it. Its background processes and the private /tmp are gone`
      : `Not run: ${reason}`,
  );
}
