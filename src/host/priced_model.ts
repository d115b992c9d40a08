import type { Model } from "../model/model.ts";
import { UsageError } from "../settings/usage_error.ts";
import { loadPriceList } from "./price_list.ts";

/**
 * The model with its price. Throws {@linkcode UsageError} when none is known:
 * a budget could not be kept.
 */
export async function pricedModel(model: Model): Promise<Model> {
  const cost = model.cost ??
    (await loadPriceList()).costOf(model, model.contextWindow);
  if (cost) return { ...model, cost };
  throw new UsageError(
    `The price of ${model.provider}/${model.id} is not known, so --max-budget-usd cannot be enforced; set a price in the settings, or use another limit, such as --timeout`,
  );
}
