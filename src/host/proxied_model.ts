import { findPreset, keyOf, presets } from "../providers/presets.ts";
import {
  type AskedModel,
  createStreamProxyHandler,
  type ProxiedModel,
} from "../providers/proxy/stream_proxy_handler.ts";
import { deltaSourceFor } from "../providers/delta_source_for.ts";
import { chooseModel } from "./choose_model.ts";

/** Answers model requests of clients that have the token, with the keys of `env`. */
export function proxyHandler(
  authToken: string,
  env: Record<string, string>,
): (request: Request) => Promise<Response> {
  return createStreamProxyHandler({
    authToken,
    resolveModel: (asked) => proxiedModel(asked, env),
  });
}

/**
 * The model that a client of a proxy asks for, with the key that `env` has for
 * its provider. Undefined for a provider that is not known. Rejects with a
 * `ModelError` when the key is missing.
 */
export async function proxiedModel(
  { provider, id, reasoning }: AskedModel,
  env: Record<string, string>,
): Promise<ProxiedModel | undefined> {
  if (!findPreset(provider)) return undefined;
  // With a level behind it nothing of the id itself is taken for one.
  const chosen = chooseModel(`${provider}/${id}:${reasoning ?? "off"}`, env);
  const { model, apiKey } = chosen;
  const source = await deltaSourceFor(model.api);
  return { model, source, ...(apiKey ? { apiKey } : {}) };
}

/** Names of the providers that `env` has a key for. */
export function keyedProviders(env: Record<string, string>): string[] {
  return presets.filter((preset) => keyOf(preset, env))
    .map(({ name }) => name);
}
