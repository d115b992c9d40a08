import type { Model } from "../model/mod.ts";
import { UsageError } from "../settings/mod.ts";

/** The providers that the list of prices calls by another name. */
const LISTED_AS: Record<string, string> = { xai: "x-ai" };

/** A price of the list, in US dollars a million tokens; it may grow with the length of the request. */
type ListedPrice =
  | number
  | { base: number; tiers: { start: number; price: number }[] }
  | undefined;

/**
 * The model with its price. Throws {@linkcode UsageError} when none is known:
 * a budget could not be kept.
 */
export async function pricedModel(model: Model): Promise<Model> {
  const cost = model.cost ?? await listedCost(model);
  if (cost) return { ...model, cost };
  throw new UsageError(
    `The price of ${model.provider}/${model.id} is not known, so that --max-budget-usd could not be kept; limit the run with --max-turns or --timeout`,
  );
}

async function listedCost(
  { provider, id, contextWindow }: Model,
): Promise<Model["cost"]> {
  // Loaded here alone: the list costs 60 ms.
  const { calcPrice } = await import("@pydantic/genai-prices");
  const found = calcPrice({}, id, {
    providerId: Object.hasOwn(LISTED_AS, provider)
      ? LISTED_AS[provider] as string
      : provider,
  });
  if (!found) return undefined;
  const listed = found.model_price as Record<string, ListedPrice>;
  const price = (name: string) => dearest(listed[name], contextWindow);
  const input = price("input_mtok");
  const output = price("output_mtok");
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    output,
    cacheRead: price("cache_read_mtok") ?? input,
    cacheWrite: price("cache_write_mtok") ?? input,
  };
}

/** What a token costs at most in a request that fits the window. */
function dearest(
  price: ListedPrice,
  contextWindow: number,
): number | undefined {
  if (price === undefined || typeof price === "number") return price;
  const tiers = price.tiers.filter(({ start }) => start < contextWindow);
  return Math.max(price.base, ...tiers.map((tier) => tier.price));
}
