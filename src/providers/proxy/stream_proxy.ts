import { assembleMessage } from "../../model/assemble_message.ts";
import type { Model } from "../../model/model.ts";
import type {
  AssistantMessageEventStream,
  Context,
  DeltaSource,
  StreamFn,
  StreamOptions,
} from "../../model/stream.ts";
import type { StreamProxyOptions } from "./ask_proxy.ts";

/**
 * Asks a proxy that holds the keys: by one call with the proxy among its
 * options, or, with the proxy alone, by the stream function that is returned.
 *
 * Neither the API key of a request's options nor the model's own headers are
 * sent, since both are the proxy's.
 */
export function streamProxy(
  model: Model,
  context: Context,
  options: StreamOptions & StreamProxyOptions,
): AssistantMessageEventStream;
export function streamProxy(proxy: StreamProxyOptions): StreamFn;
export function streamProxy(
  ...call:
    | [Model, Context, StreamOptions & StreamProxyOptions]
    | [StreamProxyOptions]
): AssistantMessageEventStream | StreamFn {
  if (call.length === 1) {
    const source = proxyDeltas(call[0]);
    return (model, context, options = {}) =>
      assembleMessage(model, source(model, context, options));
  }
  const [model, context, { proxyUrl, authToken, ...options }] = call;
  const source = proxyDeltas({ proxyUrl, authToken });
  return assembleMessage(model, source(model, context, options));
}

/** The deltas that {@linkcode streamProxy} builds its messages from, for a host that passes deltas on. */
export function proxyDeltas(proxy: StreamProxyOptions): DeltaSource {
  return async function* (model, context, options) {
    const { askProxy } = await import("./ask_proxy.ts");
    yield* askProxy(proxy, { model, context, options });
  };
}
