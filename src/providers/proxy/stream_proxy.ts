import { assembleMessage } from "../../model/assemble_message.ts";
import type { DeltaSource, StreamFn } from "../../model/stream.ts";
import type { StreamProxyOptions } from "./ask_proxy.ts";

/**
 * A stream function whose requests are answered by a proxy that holds the
 * keys. A factory, so that its result goes wherever a `StreamFn` does; a token
 * that changes wants a new one for each request.
 *
 * Neither the API key of a request's options nor the model's own headers are
 * sent, since both are the proxy's.
 */
export function streamProxy(proxy: StreamProxyOptions): StreamFn {
  const source = proxyDeltas(proxy);
  return (model, context, options = {}) =>
    assembleMessage(model, source(model, context, options));
}

/** The deltas that {@linkcode streamProxy} builds its messages from, for a host that passes deltas on. */
export function proxyDeltas(proxy: StreamProxyOptions): DeltaSource {
  return async function* (model, context, options) {
    const { askProxy } = await import("./ask_proxy.ts");
    yield* askProxy(proxy, { model, context, options });
  };
}
