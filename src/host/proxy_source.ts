import type { DeltaSource } from "../model/stream.ts";
import { UsageError } from "../settings/usage_error.ts";

/**
 * The source that asks the proxy that the environment names, undefined where
 * it names none. Throws {@linkcode UsageError} for an address or a token that
 * cannot be used, before a run spends anything.
 */
export async function proxySource(
  env: Record<string, string>,
): Promise<DeltaSource | undefined> {
  const { TAU_PROXY_URL: proxyUrl, TAU_PROXY_TOKEN: authToken } = env;
  if (!proxyUrl) return undefined;
  if (!/^https?:$/.test(URL.parse(proxyUrl)?.protocol ?? "")) {
    throw new UsageError("TAU_PROXY_URL is not an http(s) URL");
  }
  if (!authToken) {
    throw new UsageError("TAU_PROXY_URL is set, TAU_PROXY_TOKEN is not");
  }
  const { proxyDeltas } = await import("../providers/proxy/stream_proxy.ts");
  return proxyDeltas({ proxyUrl, authToken });
}
