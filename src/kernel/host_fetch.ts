import type { JsonObject } from "../model/content.ts";
import type { FetchRequest } from "../protocol/kernel_protocol.ts";
import type {
  PluginFetchOptions,
  PluginFetchResult,
} from "../sdk/plugin_api.ts";

const MAX_BODY_BYTES = 1024 * 1024;

/** A request of a plugin that the host makes: it has the network, and grants servers. */
export async function hostFetch(
  url: string,
  { method = "GET", headers = {}, body, signal, timeoutMs }: PluginFetchOptions,
  ask: (request: FetchRequest) => Promise<JsonObject | undefined>,
): Promise<PluginFetchResult> {
  signal?.throwIfAborted();
  const bytes = typeof body === "string"
    ? new TextEncoder().encode(body)
    : body;
  if (bytes !== undefined && bytes.length > MAX_BODY_BYTES) {
    throw new RangeError("The body of a request may have 1 MiB");
  }
  const asked = ask({
    url,
    method: String(method),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, String(value)]),
    ),
    ...(bytes === undefined ? {} : { body: bytes.toBase64() }),
    ...(Number.isFinite(timeoutMs) ? { timeoutMs: Number(timeoutMs) } : {}),
  });
  const answer = await orAborted(asked, signal);
  const received = Uint8Array.fromBase64(String(answer?.body ?? ""));
  return {
    status: Number(answer?.status),
    headers: answer?.headers as Record<string, string>,
    body: received,
    text: () => new TextDecoder().decode(received),
  };
}

/** The host ends the request by its time limit; nobody waits for it any more. */
async function orAborted<Value>(
  work: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (!signal) return await work;
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
