import { NEW_SPACE, WHOLE_CODE } from "../src/sandbox/kernel_flags.ts";

/** How Deno runs a program that needs nothing but itself. */
export const BARE_FLAGS: readonly string[] = [
  ...["-q", "-A", "--no-prompt", "--no-config", "--no-lock"],
  ...["--no-remote", "--no-npm"],
];

/** What V8 is told besides where that is a bundle. */
export const V8_FLAGS = `--v8-flags=${[...WHOLE_CODE, NEW_SPACE].join(",")}`;
