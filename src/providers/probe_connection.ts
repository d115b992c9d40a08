/** Longest time that the bare connection may take. */
const MAX_PROBE_MS = 5000;

/**
 * Finds out whether a server accepts connections at all, by opening one.
 *
 * `fetch` cannot tell a server that does not answer the connection from one
 * that thinks before it sends headers. True in doubt: when a proxy is in
 * between, when `signal` ended the attempt, or when connecting is not permitted.
 */
export async function acceptsConnections(
  url: URL,
  { signal, limitMs }: { signal: AbortSignal; limitMs: number },
): Promise<boolean> {
  const limit = new AbortController();
  const stop = () => limit.abort();
  const timer = setTimeout(stop, Math.min(limitMs, MAX_PROBE_MS));
  signal.addEventListener("abort", stop, { once: true });
  try {
    if (usesProxy(url)) return true;
    const connection = await Deno.connect({
      // An IPv6 address stands in brackets in a URL only.
      hostname: url.hostname.replace(/^\[|\]$/g, ""),
      port: Number(url.port) || (url.protocol === "https:" ? 443 : 80),
      signal: limit.signal,
    });
    connection.close();
    return true;
  } catch (error) {
    return signal.aborted || error instanceof Deno.errors.NotCapable;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

function usesProxy(url: URL): boolean {
  const names = [
    url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY",
    "ALL_PROXY",
  ];
  return names.some((name) =>
    Deno.env.get(name) || Deno.env.get(name.toLowerCase())
  );
}
