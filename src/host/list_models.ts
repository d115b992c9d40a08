import { catalogEntry, isCatalogued } from "../model/catalog.ts";
import type { Model } from "../model/model.ts";
import { keyOf } from "../providers/presets.ts";
import type { ModelSettings, ProviderSettings } from "../settings/settings.ts";
import { type KnownProvider, knownProviders } from "./known_providers.ts";
import { loadPriceList, type PriceList } from "./price_list.ts";

/** A model that `--model` takes, and what is known of it; null where nothing is. */
export interface ListedModel {
  provider: string;
  /** Null stands for whatever a local server has. */
  id: string | null;
  name: string | null;
  contextWindow: number | null;
  /** Tokens of output in one response. */
  maxTokens: number | null;
  input: Model["input"] | null;
  reasoning: boolean | null;
  /** US dollars a million tokens of a short request. */
  cost: { input: number; output: number } | null;
  /** `yes`, `no`, or `not needed`; never the key. */
  key: "yes" | "no" | "not needed";
}

/** Names in the price list of models that hold no conversation. */
const NO_CONVERSATION =
  /(^|[^a-z])(embed\w*|moderation|guard|whisper|transcribe|tts|ocr|image|audio|voice|realtime|live|rerank\w*)([^a-z]|$)/;

/**
 * The models of all providers that a run can use, without asking any: those
 * that a run could use as things are first, then by provider and id.
 */
export async function listModels(
  { env, providers }: {
    env: Record<string, string>;
    /** Providers of the settings. */
    providers?: Record<string, ProviderSettings> | undefined;
  },
): Promise<ListedModel[]> {
  const prices = await loadPriceList();
  return knownProviders(providers)
    .flatMap((provider) => modelsOf(provider, { env, prices }))
    .sort(byUse);
}

function byUse(a: ListedModel, b: ListedModel): number {
  return Number(a.key === "no") - Number(b.key === "no") ||
    compare(a.provider, b.provider) || compare(a.id ?? "", b.id ?? "");
}

/** The same everywhere, whatever the locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function modelsOf(
  provider: KnownProvider,
  { env, prices }: { env: Record<string, string>; prices: PriceList },
): ListedModel[] {
  const { name, models = [], needsKey } = provider;
  const key = keyOf(provider, env) ? "yes" : needsKey ? "no" : "not needed";
  const listed = new Map<string, ListedModel>();
  for (const { id, contextWindow } of prices.modelsOf(name)) {
    const entry = catalogEntry(name, id);
    if (isCatalogued(name) ? !entry : NO_CONVERSATION.test(id)) continue;
    const window = contextWindow ?? entry?.contextWindow;
    listed.set(id, {
      ...toListed(name, { ...entry, id, contextWindow: window }),
      cost: shortCost(prices, { provider: name, id }),
      key,
    });
  }
  for (const model of models) {
    const cost = model.cost ?? listed.get(model.id)?.cost;
    listed.set(model.id, {
      ...toListed(name, { ...catalogEntry(name, model.id), ...model }),
      cost: cost ? { input: cost.input, output: cost.output } : null,
      key,
    });
  }
  if (listed.size > 0) return [...listed.values()];
  return [{ ...toListed(name, {}), cost: null, key }];
}

function toListed(
  provider: string,
  { id, name, contextWindow, maxTokens, input, reasoning }: {
    [Key in keyof ModelSettings]?: ModelSettings[Key] | undefined;
  },
): Omit<ListedModel, "cost" | "key"> {
  return {
    provider,
    id: id ?? null,
    name: name ?? null,
    contextWindow: contextWindow ?? null,
    maxTokens: maxTokens ?? null,
    input: input ?? null,
    reasoning: reasoning ?? null,
  };
}

function shortCost(
  prices: PriceList,
  model: Pick<Model, "provider" | "id">,
): ListedModel["cost"] {
  const cost = prices.costOf(model, 0);
  return cost ? { input: cost.input, output: cost.output } : null;
}
