import { emptyUsage, type Usage } from "../model/message.ts";
import type { Model } from "../model/model.ts";

/** Token counts as they come from a server: anything. */
export interface TokenCounts {
  input: unknown;
  output: unknown;
  cacheRead: unknown;
  cacheWrite: unknown;
  reasoning: unknown;
}

/** Usage with its price; what is not a count is 0, what has no price costs 0. */
export function priceUsage(model: Model, counts: TokenCounts): Usage {
  const usage = emptyUsage();
  for (const key of ["input", "output", "cacheRead", "cacheWrite"] as const) {
    usage[key] = tokenCount(counts[key]);
    usage.totalTokens += usage[key];
    if (model.cost) usage.cost[key] = usage[key] * model.cost[key] / 1e6;
    usage.cost.total += usage.cost[key];
  }
  const reasoning = tokenCount(counts.reasoning);
  if (reasoning > 0) usage.reasoning = reasoning;
  return usage;
}

/** A count from outside, or 0. */
export function tokenCount(value: unknown): number {
  // Larger ones could add up to infinity, which JSON does not have.
  return typeof value === "number" && value > 0 && value < 1e15
    ? Math.floor(value)
    : 0;
}
