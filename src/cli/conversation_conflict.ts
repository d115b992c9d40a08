import type { RunFlags } from "./invocation.ts";

const ONE_PROMPT = ["output-last-message", "record", "replay"] as const;

/** Why an option does not go with a conversation; undefined where all do. */
export function conversationConflict(flags: RunFlags): string | undefined {
  const name = ONE_PROMPT.find((option) => flags[option] !== undefined);
  return name && `Option --${name} is for runs of one prompt: tau -p …`;
}
