import type { Model } from "../model/model.ts";
import type { ModelError } from "../model/model_error.ts";
import type { StreamOptions } from "../model/stream.ts";
import { MAX_TIMER_MS } from "../model/max_timer_ms.ts";
import { startLightTimer } from "../model/light_timer.ts";
import { EventDecoder } from "./event_decoder.ts";
import { asRecord, parseJson } from "./json_value.ts";
import { acceptsConnections } from "./probe_connection.ts";
import type { ProviderErrors } from "./provider_error.ts";
import { retryAfterMs } from "./retry_after.ts";

/** Limits on silence where the request does not set its own. */
export const DEFAULT_TIMEOUTS = {
  connectMs: 15_000,
  firstByteMs: 300_000,
  idleMs: 300_000,
  answerMs: 1_800_000,
} as const;

const USER_AGENT = "tau";
const MAX_ERROR_BYTES = 64 * 1024;
const MAX_RESPONSE_BYTES = 256 * 1024 * 1024;
const READ_BYTES = 64 * 1024;
/** Time in which counts of tokens may follow an answer whose end was announced. */
const GRACE_MS = 5000;

/** One request whose response is a stream of events. */
export interface StreamRequest {
  model: Model;
  url: string;
  /** The wire format's headers with the credential; those of the model and of the caller are added. */
  headers: Record<string, string>;
  body: string;
  options: StreamOptions;
  errors: ProviderErrors;
}

/**
 * Sends a request and reads the `data` of the events of its response, in
 * batches of what arrived together; a batch without events is a sign of life.
 *
 * Throws a {@linkcode ModelError}, or the reason of the caller's signal. Once
 * `announced` says that the answer is complete, whatever happens to the
 * connection only ends the iteration. The connection is closed whenever the
 * iteration ends.
 */
export async function* readEvents(
  request: StreamRequest,
  announced: () => boolean,
): AsyncGenerator<string[]> {
  using watch = new Watch(request.options.signal);
  const { errors, options } = request;
  const response = await connect(request, watch);
  const { hooks, onResponse } = options;
  if (hooks?.response || onResponse) {
    // The limit rests while hooks look at the response.
    watch.pause();
    await hooks?.response?.(shownResponse(response));
    await onResponse?.(shownResponse(response), request.model);
  }
  const body = await eventStreamOf(response, { request, watch });
  const idleMs = options.timeouts?.idleMs ?? DEFAULT_TIMEOUTS.idleMs;
  const decoder = new EventDecoder(() =>
    errors.of("refused", "sent an event that is too large")
  );
  let total = 0;
  let endMs = Infinity;
  const isOver = () => announced() || decoder.document !== "";
  try {
    // Comments that keep the connection alive do not make the grace longer.
    const limit = () => {
      if (!isOver()) return idleMs;
      const now = performance.now();
      endMs = Math.min(endMs, now + Math.min(idleMs, GRACE_MS));
      return Math.max(0, endMs - now);
    };
    for await (const chunk of readChunks(body, { request, watch, limit })) {
      total += chunk.byteLength;
      if (total > MAX_RESPONSE_BYTES) {
        throw errors.of("refused", "sent a response that is too large");
      }
      yield decoder.feed(chunk);
      if (performance.now() > endMs) break;
    }
  } catch (error) {
    if (!isOver() || options.signal?.aborted) throw error;
    if (announced()) return;
  }
  if (decoder.document !== "") throw documentError(decoder.document, errors);
  yield decoder.end();
}

/** Sends the request and waits for the headers of the response. */
async function connect(
  request: StreamRequest,
  watch: Watch,
): Promise<Response> {
  const { errors, options, body } = request;
  const limits = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const url = URL.parse(request.url);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw errors.of("refused", "has a base URL that is not an http(s) URL");
  }
  const headers = buildHeaders(request);
  const answered = new AbortController();
  watch.limit(
    limits.firstByteMs,
    () =>
      errors.of(
        "timeout",
        `sent nothing within ${seconds(limits.firstByteMs)}`,
      ),
  );
  let probe: Promise<void> | undefined;
  const probeAt = Math.min(limits.connectMs, MAX_TIMER_MS);
  const stopTimer = startLightTimer(probeAt, () => {
    probe = acceptsConnections(url, {
      signal: answered.signal,
      limitMs: limits.connectMs,
    }).then((accepts) => {
      if (accepts) return;
      watch.fail(
        errors.unreachable(`at ${url.host} does not accept connections`),
      );
    });
  });
  try {
    return await fetch(url, {
      method: "POST",
      headers,
      body,
      signal: watch.signal,
      // Following would carry the key to wherever the server points.
      redirect: "manual",
    });
  } catch (error) {
    watch.signal.throwIfAborted();
    const why = reasonOf(error);
    throw errors.unreachable(`cannot be reached at ${url.host}: ${why}`, {
      cause: error,
    });
  } finally {
    stopTimer();
    answered.abort();
    await probe;
  }
}

/** The body of a response that says it is an answer; throws for every other one. */
async function eventStreamOf(
  response: Response,
  { request, watch }: { request: StreamRequest; watch: Watch },
): Promise<ReadableStream<Uint8Array>> {
  const { errors } = request;
  const { status, statusText, headers, body } = response;
  if (status >= 300 && status < 400) {
    await body?.cancel();
    const target = URL.parse(headers.get("location") ?? "", request.url)
      ?.origin;
    throw errors.of(
      "refused",
      `redirected the request (${status}) to ${
        target ?? "nowhere"
      }; set the base URL to the final address`,
    );
  }
  if (!body) throw errors.incomplete("sent a response without a body");
  if (response.ok) return body;
  throw errors.fromResponse(await readText(body, { request, watch }), {
    status,
    statusText,
    retryAfterMs: retryAfterMs(headers),
  });
}

/** Status and headers for hooks, without cookies. */
function shownResponse(
  { status, headers }: Response,
): { status: number; headers: Record<string, string> } {
  const shown = [...headers].filter(([name]) => name !== "set-cookie");
  return { status, headers: Object.fromEntries(shown) };
}

/** The failure that a document in place of events stands for; it may describe the failure itself. */
function documentError(text: string, errors: ProviderErrors): ModelError {
  const error = asRecord(parseJson(text))?.error;
  if (error) return errors.fromEvent(error);
  return /^\s*</.test(text)
    ? errors.of("refused", "answered with a web page; check the base URL")
    : errors.of(
      "stream_cut",
      "answered with one JSON document instead of a stream of events",
    );
}

/** The beginning of an error's body; what arrived, when the rest does not. */
async function readText(
  body: ReadableStream<Uint8Array>,
  { request, watch }: { request: StreamRequest; watch: Watch },
): Promise<string> {
  const idleMs = request.options.timeouts?.idleMs ?? DEFAULT_TIMEOUTS.idleMs;
  const limit = () => Math.min(idleMs, GRACE_MS);
  const decoder = new TextDecoder();
  let text = "";
  let total = 0;
  try {
    for await (const chunk of readChunks(body, { request, watch, limit })) {
      const room = MAX_ERROR_BYTES - total;
      text += decoder.decode(chunk.subarray(0, room), { stream: true });
      total += chunk.byteLength;
      if (total >= MAX_ERROR_BYTES) break;
    }
  } catch {
    request.options.signal?.throwIfAborted();
  }
  return text;
}

/** Reads a body piece by piece; each piece is valid until the next one. */
async function* readChunks(
  body: ReadableStream<Uint8Array>,
  { request, watch, limit }: {
    request: StreamRequest;
    watch: Watch;
    limit: () => number;
  },
): AsyncGenerator<Uint8Array> {
  const { errors } = request;
  const reader = body.getReader({ mode: "byob" });
  let buffer = new ArrayBuffer(READ_BYTES);
  try {
    while (true) {
      const idleMs = limit();
      watch.limit(
        idleMs,
        () => errors.of("timeout", `sent nothing for ${seconds(idleMs)}`),
      );
      const { done, value } = await reader.read(new Uint8Array(buffer));
      if (done) return;
      // A reader that is slow is not the server's silence.
      watch.pause();
      yield value;
      buffer = value.buffer;
    }
  } catch (error) {
    watch.signal.throwIfAborted();
    if (!(error instanceof TypeError)) throw error;
    throw errors.incomplete(
      "closed the connection before the answer was complete",
      { cause: error },
    );
  } finally {
    // At once, and not when the connection is found to be gone.
    await reader.cancel().catch(() => {});
  }
}

function buildHeaders(request: StreamRequest): Headers {
  const { model, options, errors } = request;
  const headers = new Headers({
    "content-type": "application/json",
    accept: "text/event-stream",
    "user-agent": USER_AGENT,
  });
  const layers: Record<string, string | null>[] = [
    request.headers,
    model.headers ?? {},
    options.headers ?? {},
  ];
  for (const layer of layers) {
    for (const [name, value] of Object.entries(layer)) {
      try {
        if (value === null) headers.delete(name);
        else headers.set(name, value);
      } catch {
        // The error of `Headers` would show the value, which may be a key.
        throw errors.of(
          "refused",
          `cannot be sent the header "${name}": a character is not allowed`,
        );
      }
    }
  }
  return headers;
}

/** The innermost cause of a failed fetch, without URLs, which may hold a key. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause ?? error : error;
  const text = cause instanceof Error ? cause.message : String(cause);
  return text
    .replace(/^.*\burl \([^)]*\): /, "")
    .replace(/https?:\/\/\S+/g, "(URL)")
    .replace(/ \(os error \d+\)$/, "");
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}

/** Ends a request: on the caller's signal, or when a limit on silence is over. */
class Watch {
  #controller = new AbortController();
  #outer: AbortSignal | undefined;
  #stopTimer: (() => void) | undefined;
  #timerEndMs = 0;
  #endMs = 0;
  #expired: () => unknown = () => undefined;
  #onAbort = () => this.fail(this.#outer?.reason);

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer;
    if (outer?.aborted) this.#onAbort();
    else outer?.addEventListener("abort", this.#onAbort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  fail(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /**
   * Starts a new limit in place of the one before. The timer is not set anew
   * for each read: when it fires early, it is set to the time that is left.
   */
  limit(ms: number, expired: () => ModelError): void {
    this.#endMs = performance.now() + ms;
    this.#expired = expired;
    if (this.#stopTimer && this.#timerEndMs <= this.#endMs) return;
    this.#setTimer(ms);
  }

  /** Stops the limit until the next call of `limit`. */
  pause(): void {
    this.#endMs = Infinity;
  }

  #setTimer(ms: number): void {
    this.#stopTimer?.();
    this.#timerEndMs = performance.now() + ms;
    this.#stopTimer = startLightTimer(Math.min(ms, MAX_TIMER_MS), () => {
      this.#stopTimer = undefined;
      const leftMs = this.#endMs - performance.now();
      if (leftMs > 0) this.#setTimer(leftMs);
      else this.fail(this.#expired());
    });
  }

  [Symbol.dispose](): void {
    this.#stopTimer?.();
    this.#outer?.removeEventListener("abort", this.#onAbort);
    this.#controller.abort();
  }
}
