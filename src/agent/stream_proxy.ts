import { assembleMessage } from "../model/assemble_message.ts";
import type { Model } from "../model/model.ts";
import { ModelError } from "../model/model_error.ts";
import type {
  AssistantDelta,
  Context,
  DeltaSource,
  StreamFn,
  StreamOptions,
} from "../model/stream.ts";
import { untilAborted } from "./abort.ts";
import { bodyChunks, MAX_TIMER_MS } from "./body_chunks.ts";
import { DataLines } from "./data_lines.ts";
import { errorText } from "./error_text.ts";
import { isLast, parseDelta } from "./parse_delta.ts";
import {
  connectionFault,
  type ErrorDelta,
  failureDelta,
  hideSecret,
  proxyFault,
  responseFault,
} from "./proxy_error.ts";

/** How a proxy is reached. */
export interface StreamProxyOptions {
  /** `/api/stream` is appended. */
  proxyUrl: string;
  /** Sent as a bearer token, and shown in no error. */
  authToken: string;
  /** Default: the global `fetch`. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** Limits on silence where the request does not set its own. */
const DEFAULT_FIRST_BYTE_MS = 300_000;
const DEFAULT_IDLE_MS = 300_000;
const MAX_RESPONSE_BYTES = 256 * 1024 * 1024;

const CUT = "Connection closed by proxy server before the response completed";

const ABORTED: ErrorDelta = {
  type: "error",
  reason: "aborted",
  errorMessage: "Request aborted by user",
};

/**
 * A stream function whose requests are answered by a proxy that holds the
 * keys. A factory, so that its result goes wherever a `StreamFn` does; a token
 * that changes wants a new one for each request.
 *
 * Neither the API key of a request's options nor the model's own headers are
 * sent, since both are the proxy's. Of `timeouts`, `firstByteMs` and `idleMs`
 * count.
 */
export function streamProxy(proxy: StreamProxyOptions): StreamFn {
  const source = proxyDeltas(proxy);
  return (model, context, options = {}) =>
    assembleMessage(model, source(model, context, options));
}

/** What {@linkcode streamProxy} builds its messages from, for a host that passes deltas on. */
export function proxyDeltas(proxy: StreamProxyOptions): DeltaSource {
  return async function* (model, context, options) {
    try {
      options.signal?.throwIfAborted();
      const body = requestBody(model, context, options);
      const response = await post(proxy, { body, options });
      for await (const batch of readDeltas(response, options)) {
        yield batch.map((delta) =>
          delta.type === "error" ? withoutSecret(delta, proxy) : delta
        );
      }
    } catch (error) {
      const isAborted = options.signal?.aborted;
      yield [isAborted ? ABORTED : withoutSecret(failureDelta(error), proxy)];
    }
  };
}

function requestBody(
  { headers: _, ...model }: Model,
  context: Context,
  options: StreamOptions,
): string {
  const { temperature, maxTokens, reasoning, sessionId, headers, toolChoice } =
    options;
  return JSON.stringify({
    model,
    context,
    options: {
      temperature,
      maxTokens,
      reasoning,
      sessionId,
      headers,
      toolChoice,
    },
  });
}

/** Sends the request; the body of a response that is a stream of events. */
async function post(
  { proxyUrl, authToken, fetch = globalThis.fetch }: StreamProxyOptions,
  { body, options }: { body: string; options: StreamOptions },
): Promise<ReadableStream<Uint8Array>> {
  const url = URL.parse(`${proxyUrl.replace(/\/+$/, "")}/api/stream`);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw proxyFault("refused", "its address is not an http(s) URL");
  }
  const headers = requestHeaders(authToken);
  using watch = new ResponseWatch(options);
  let response: Response;
  try {
    response = await untilAborted(
      fetch(url.href, {
        method: "POST",
        headers,
        body,
        signal: watch.signal,
        // Following would carry the token to wherever the server points.
        redirect: "manual",
      }),
      watch.signal,
    );
  } catch (error) {
    watch.signal.throwIfAborted();
    throw connectionFault(url.host, error);
  }
  return await eventsOf(response, { signal: options.signal, authToken });
}

function requestHeaders(authToken: string): Headers {
  try {
    return new Headers({
      authorization: `Bearer ${authToken}`,
      "content-type": "application/json",
      accept: "text/event-stream",
    });
  } catch {
    // The error of `Headers` would show the token.
    throw proxyFault("auth", "the token holds a character that is not allowed");
  }
}

async function eventsOf(
  response: Response,
  { signal, authToken }: { signal: AbortSignal | undefined; authToken: string },
): Promise<ReadableStream<Uint8Array>> {
  const { ok, body, headers } = response;
  if (!ok) throw await responseFault(response, { signal, secret: authToken });
  const type = headers.get("content-type")?.split(";")[0] ?? "";
  if (type === "text/html" || type === "application/json") {
    await body?.cancel();
    throw proxyFault(
      "refused",
      `answered with ${type} instead of a stream of events; check its address`,
    );
  }
  if (!body) throw new ModelError("stream_cut", CUT);
  return body;
}

async function* readDeltas(
  body: ReadableStream<Uint8Array>,
  { signal, timeouts }: StreamOptions,
): AsyncGenerator<AssistantDelta[]> {
  const idleMs = timeouts?.idleMs ?? DEFAULT_IDLE_MS;
  const expired = () => silenceFault(idleMs);
  const lines = new DataLines();
  let total = 0;
  let cause: unknown;
  try {
    for await (const chunk of bodyChunks(body, { idleMs, expired, signal })) {
      total += chunk.byteLength;
      if (total > MAX_RESPONSE_BYTES) {
        throw proxyFault("refused", "sent a response that is too large");
      }
      const batch = parseLines(lines.feed(chunk));
      if (batch.length > 0) yield batch;
      if (isLast(batch.at(-1))) return;
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ModelError) throw error;
    cause = error;
  }
  // Of a connection that was cut the last line is half an event.
  const batch = parseLines(lines.end().filter(isJson));
  if (!isLast(batch.at(-1))) throw new ModelError("stream_cut", CUT, { cause });
  yield batch;
}

/** The steps that lines stand for, up to the one that ends the response. */
function parseLines(lines: string[]): AssistantDelta[] {
  const deltas: AssistantDelta[] = [];
  for (const line of lines) {
    const delta = parseLine(line);
    if (delta) deltas.push(delta);
    if (isLast(delta)) break;
  }
  return deltas;
}

function parseLine(line: string): AssistantDelta | undefined {
  try {
    const delta = parseDelta(JSON.parse(line));
    if (delta?.type !== "error" || delta.reason === "error") return delta;
    // Nobody here asked for that, so that it is a failure like others.
    return { ...delta, reason: "error", errorKind: "stream_cut" };
  } catch (error) {
    const what = error instanceof SyntaxError
      ? "an event that is not JSON"
      : errorText(error);
    return failureDelta(proxyFault("stream_cut", `sent ${what}`));
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function withoutSecret(
  delta: ErrorDelta,
  { authToken }: StreamProxyOptions,
): ErrorDelta {
  const errorMessage = hideSecret(delta.errorMessage, authToken);
  return { ...delta, errorMessage };
}

function silenceFault(ms: number): ModelError {
  return proxyFault("timeout", `sent nothing for ${ms / 1000} s`);
}

/** Ends a request that gets no response: on the caller's signal, or when its time is over. */
class ResponseWatch {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #onAbort = () => this.#controller.abort(this.#outer?.reason);

  constructor({ signal, timeouts }: StreamOptions) {
    const limitMs = timeouts?.firstByteMs ?? DEFAULT_FIRST_BYTE_MS;
    this.#outer = signal;
    this.#outer?.addEventListener("abort", this.#onAbort);
    this.#timer = setTimeout(
      () => this.#controller.abort(silenceFault(limitMs)),
      Math.min(limitMs, MAX_TIMER_MS),
    );
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener("abort", this.#onAbort);
  }
}
