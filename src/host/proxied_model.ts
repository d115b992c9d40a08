import type { Model, ThinkingLevel } from "../model/model.ts";
import type { DeltaSource } from "../model/stream.ts";
import { deltaSourceFor } from "../providers/delta_source_for.ts";
import { findPreset, keyOf, presets } from "../providers/presets.ts";
import { chooseModel } from "./choose_model.ts";

/**
 * A model that a client of a proxy asks for, with the key that `env` has for
 * its provider, and what asks it. Undefined for a provider that is not known.
 * Rejects with a `ModelError` when the key is missing.
 */
export async function proxiedModel(
  { provider, id, reasoning = "off" }: {
    provider: string;
    id: string;
    reasoning?: ThinkingLevel | undefined;
  },
  env: Record<string, string>,
): Promise<
  { model: Model; source: DeltaSource; apiKey?: string } | undefined
> {
  if (!findPreset(provider)) return undefined;
  // With a level behind it nothing of the id itself is taken for one.
  const chosen = chooseModel(`${provider}/${id}:${reasoning}`, env);
  const { model, apiKey } = chosen;
  const source = await deltaSourceFor(model.api);
  return { model, source, ...(apiKey ? { apiKey } : {}) };
}

/** Names of the providers that `env` has a key for. */
export function keyedProviders(env: Record<string, string>): string[] {
  return presets.filter((preset) => keyOf(preset, env))
    .map(({ name }) => name);
}
