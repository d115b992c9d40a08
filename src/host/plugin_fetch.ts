import type { JsonObject } from "../model/content.ts";
import { allowsAddress, type NetPolicy } from "../policy/net_policy.ts";
import type { FetchRequest } from "../protocol/kernel_protocol.ts";

const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_TIMEOUT_MS = 600_000;
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const MAX_HEADERS = 100;
const METHOD = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/;

/**
 * Asks a server for a plugin, where the run grants the network. A redirect is
 * an answer, which the plugin may follow by asking again.
 */
export async function pluginFetch(
  { url, method, headers, body, timeoutMs }: FetchRequest,
  net: NetPolicy,
): Promise<JsonObject> {
  const target = URL.parse(url);
  if (!target || !/^https?:$/.test(target.protocol)) {
    throw new Error(
      `fetch needs an http or https address, got ${
        JSON.stringify(url.slice(0, 200))
      }`,
    );
  }
  if (!allowsAddress(net, target)) {
    throw new Error(
      `This run does not grant the host ${target.host}; the option --allow-net=${target.host} grants it`,
    );
  }
  if (!METHOD.test(method)) throw new Error(`Unknown method ${method}`);
  const limitMs = Math.min(timeoutMs ?? DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS);
  const response = await fetch(target, {
    method,
    headers: Object.entries(headers).slice(0, MAX_HEADERS),
    redirect: "manual",
    signal: AbortSignal.timeout(Math.max(1, limitMs)),
    ...(body === undefined ? {} : { body: Uint8Array.fromBase64(body) }),
  });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: (await boundedBody(response)).toBase64(),
  };
}

async function boundedBody(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) {
      throw new Error(`The answer is larger than ${MAX_BODY_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}
