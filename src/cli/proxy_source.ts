import { UsageError } from "../settings/usage_error.ts";
import type { DeltaSource } from "../model/stream.ts";

/**
 * What asks the proxy that the environment names, undefined where it names
 * none. Throws {@linkcode UsageError} for an address or a token that is of no
 * use, before a run spends anything.
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
  const { proxyDeltas } = await import("../agent/stream_proxy.ts");
  return proxyDeltas({ proxyUrl, authToken });
}
