import type { RunOptions } from "../host/run.ts";

/** Options that say how far a run may go, and how often a request is made again. */
export interface LimitFlags {
  "max-turns"?: number;
  "max-tool-calls"?: number;
  "max-repeats"?: number;
  "max-budget-usd"?: number;
  "on-limit"?: "stop" | "summarize";
  "max-retries"?: number;
}

const MAX_COUNT = 1_000_000;
const MAX_RETRIES = 100;

/** How they are scanned. */
export const limitFlags = {
  "max-turns": {
    kind: "parsed",
    parse: (text: string) => parseCount(text, { min: 1, max: MAX_COUNT }),
    optional: true,
    brief: "end after this many model responses",
  },
  "max-tool-calls": {
    kind: "parsed",
    parse: (text: string) => parseCount(text, { min: 0, max: MAX_COUNT }),
    optional: true,
    brief: "end before more tool calls than these",
  },
  "max-repeats": {
    kind: "parsed",
    parse: (text: string) => parseCount(text, { min: 0, max: MAX_COUNT }),
    optional: true,
    brief: "end when the same call has the same result so often",
  },
  "max-budget-usd": {
    kind: "parsed",
    parse: parseBudget,
    optional: true,
    brief: "end when the requests have cost so much",
  },
  "on-limit": {
    kind: "enum",
    values: ["stop", "summarize"],
    optional: true,
    brief: "what happens at a limit",
  },
  "max-retries": {
    kind: "parsed",
    parse: (text: string) => parseCount(text, { min: 0, max: MAX_RETRIES }),
    optional: true,
    brief: "how often a request that failed is made again",
  },
} as const;

/** The limits of a run. */
export function limitChoice(
  flags: LimitFlags,
): Pick<
  RunOptions,
  | "maxTurns"
  | "maxToolCalls"
  | "maxRepeats"
  | "maxBudgetUsd"
  | "onLimit"
  | "maxRetries"
> {
  return {
    maxTurns: flags["max-turns"],
    maxToolCalls: flags["max-tool-calls"],
    maxRepeats: flags["max-repeats"],
    maxBudgetUsd: flags["max-budget-usd"],
    onLimit: flags["on-limit"],
    maxRetries: flags["max-retries"],
  };
}

function parseCount(
  text: string,
  { min, max }: { min: number; max: number },
): number {
  const count = /^\d{1,7}$/.test(text) ? Number(text) : -1;
  if (count >= min && count <= max) return count;
  throw new Error(`expected a whole number from ${min} to ${max}`);
}

function parseBudget(text: string): number {
  const usd = /^\d{1,6}(\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  if (usd > 0) return usd;
  throw new Error("expected US dollars, such as 2.50");
}
