import type { Model } from "../model/model.ts";

/** The providers that the list calls by another name. */
const LISTED_AS: Record<string, string> = { xai: "x-ai" };

/** Price of a million tokens, in US dollars. */
export type Cost = NonNullable<Model["cost"]>;

/** A price of the list; it may grow with the length of the request. */
type ListedPrice =
  | number
  | { base: number; tiers: { start: number; price: number }[] }
  | undefined;

/** A model that the list has a price of. */
export interface ListedId {
  id: string;
  contextWindow?: number;
}

/** Prices of providers for their models. */
export interface PriceList {
  /** The models of a provider that are still served. */
  modelsOf(provider: string): ListedId[];
  /** Returns the highest price of tokens in a request of that many. */
  costOf(
    model: Pick<Model, "provider" | "id">,
    requestTokens: number,
  ): Cost | undefined;
}

/** Loads the list, which costs 60 ms: only for runs that must know a price, and for who asks for all. */
export async function loadPriceList(): Promise<PriceList> {
  const { calcPrice, findProvider } = await import("@pydantic/genai-prices");
  return {
    modelsOf(provider) {
      const listed = findProvider({ providerId: listedAs(provider) });
      return (listed?.models ?? []).filter(({ deprecated }) => !deprecated)
        .map(({ id, context_window: contextWindow }) => ({
          id,
          ...(contextWindow ? { contextWindow } : {}),
        }));
    },
    costOf({ provider, id }, requestTokens) {
      const found = calcPrice({}, id, { providerId: listedAs(provider) });
      if (!found) return undefined;
      const listed = found.model_price as Record<string, ListedPrice>;
      const price = (name: string) => dearest(listed[name], requestTokens);
      const input = price("input_mtok");
      const output = price("output_mtok");
      if (input === undefined || output === undefined) return undefined;
      return {
        input,
        output,
        cacheRead: price("cache_read_mtok") ?? input,
        cacheWrite: price("cache_write_mtok") ?? input,
      };
    },
  };
}

function listedAs(provider: string): string {
  return Object.hasOwn(LISTED_AS, provider)
    ? LISTED_AS[provider] as string
    : provider;
}

function dearest(
  price: ListedPrice,
  requestTokens: number,
): number | undefined {
  if (price === undefined || typeof price === "number") return price;
  const tiers = price.tiers.filter(({ start }) => start < requestTokens);
  return Math.max(price.base, ...tiers.map((tier) => tier.price));
}
