import type { RunOptions } from "../host/run.ts";

/** Options that say what a run has to reach, and who gets its answer. */
export interface GoalFlags {
  "output-last-message"?: string;
  "output-schema"?: string;
  check?: string;
  "check-retries"?: number;
}

const DEFAULT_CHECK_RETRIES = 2;
const MAX_CHECK_RETRIES = 100;

/** How they are scanned. */
export const goalFlags = {
  "output-last-message": {
    kind: "parsed",
    parse: parseFile,
    optional: true,
    brief: "the file that gets the answer",
  },
  "output-schema": {
    kind: "parsed",
    parse: parseFile,
    optional: true,
    brief: "what the answer must fit",
  },
  check: {
    kind: "parsed",
    parse: parseCommand,
    optional: true,
    brief: "a command that must succeed",
  },
  "check-retries": {
    kind: "parsed",
    parse: parseCheckRetries,
    optional: true,
    brief: "how often a failed check is told to the model",
  },
} as const;

/** Why these options do not go together; undefined where they do. */
export function goalConflict(flags: GoalFlags): string | undefined {
  return flags.check === undefined && flags["check-retries"] !== undefined
    ? 'Option --check-retries needs a check, such as --check "npm test"'
    : undefined;
}

/** The check of a run. */
export function checkChoice(
  { check: command, "check-retries": retries = DEFAULT_CHECK_RETRIES }:
    GoalFlags,
): RunOptions["check"] {
  return command === undefined ? undefined : { command, retries };
}

function parseCheckRetries(text: string): number {
  const retries = /^\d{1,3}$/.test(text) ? Number(text) : -1;
  if (retries >= 0 && retries <= MAX_CHECK_RETRIES) return retries;
  throw new Error(`expected a whole number from 0 to ${MAX_CHECK_RETRIES}`);
}

function parseCommand(text: string): string {
  if (text.trim() !== "" && !text.includes("\0")) return text;
  throw new Error('expected a command, such as "npm test"');
}

function parseFile(text: string): string {
  if (text !== "" && !text.includes("\0")) return text;
  throw new Error("expected a path");
}
