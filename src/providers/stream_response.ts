import type { JsonObject } from "../model/content.ts";
import type { Usage } from "../model/message.ts";
import type { Model } from "../model/model.ts";
import { ModelError } from "../model/model_error.ts";
import type { AssistantDelta, StreamOptions } from "../model/stream.ts";
import { DEFAULT_TIMEOUTS, readEvents } from "./http_stream.ts";
import { presetAtHome } from "./presets.ts";
import { ProviderErrors } from "./provider_error.ts";
import { wellFormedJson } from "./well_formed_json.ts";

/** Turns the events of one response into deltas. One reader a response. */
export interface ResponseReader {
  /** True once the server said that the answer is complete. */
  readonly announced: boolean;
  /** Takes the data of one event; returns true when nothing can follow. May throw a `ModelError`. */
  add(data: string): boolean;
  /** Says `done`, or throws a `ModelError` when the answer is not complete. */
  end(): void;
  /** The deltas since the last call. */
  take(): AssistantDelta[];
  /** What the response is known to have cost so far. */
  usage(): Usage | undefined;
}

/** What a wire format adds to the common way of a request. */
export interface WireFormat {
  /** Appended to the model's base URL. */
  path: string;
  headers?: Record<string, string>;
  /** The headers that carry the key. */
  credential(key: string): Record<string, string>;
  /** The body, before it is JSON. */
  body(): unknown;
  reader(errors: ProviderErrors): ResponseReader;
}

/** Sends a request and turns what comes back into deltas. Never throws. */
export function respond(
  { model, options }: { model: Model; options: StreamOptions },
  format: WireFormat,
): AsyncGenerator<AssistantDelta[]> {
  const errors = new ProviderErrors(model, secretsOf(model, options));
  const reader = format.reader(errors);
  const { answerMs } = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const send = async function* () {
    options.signal?.throwIfAborted();
    const key = options.apiKey?.trim();
    if (!key && needsKey(model) && !hasCredential(model, options)) {
      throw errors.missingKey();
    }
    const hooked = await throughHooks({ model, options }, format);
    const request = {
      model,
      options: hooked.options,
      errors,
      url: model.baseUrl.replace(/\/+$/, "") + format.path,
      headers: { ...format.headers, ...(key ? format.credential(key) : {}) },
      body: wellFormedJson(hooked.body),
    };
    yield* readEvents(request, () => reader.announced);
  };
  return readAnswer(reader, {
    events: send(),
    signal: options.signal,
    pause: {
      maxMs: answerMs,
      error: () =>
        errors.of(
          "timeout",
          `sent nothing of an answer for ${answerMs / 1000} s`,
        ),
    },
  });
}

/** Body and options as the hooks of a request leave them. */
async function throughHooks(
  { model, options }: { model: Model; options: StreamOptions },
  format: WireFormat,
): Promise<{ body: unknown; options: StreamOptions }> {
  const body = format.body();
  const { hooks } = options;
  if (!hooks) return { body, options };
  const shown = Object.fromEntries([
    ...Object.entries(format.headers ?? {}),
    ...headersOf(model, options).filter(([name]) =>
      !CREDENTIAL_NAMES.test(name)
    ),
  ]);
  const added = await hooks.headers?.(shown);
  return {
    body: hooks.request ? await hooks.request(body as JsonObject) : body,
    options: added
      ? { ...options, headers: { ...options.headers, ...added } }
      : options,
  };
}

/**
 * Turns the events of a response into deltas, a batch for each batch of
 * events. Never throws: what the events or the reader throw becomes a last
 * `error`, or `aborted` when the signal asked for it.
 */
export async function* readAnswer(
  reader: ResponseReader,
  { events, signal, pause }: {
    events: AsyncIterable<string[]>;
    signal?: AbortSignal | undefined;
    /** Events alone are no answer: servers send some for as long as they live. */
    pause?: { maxMs: number; error(): ModelError };
  },
): AsyncGenerator<AssistantDelta[]> {
  try {
    let heardMs = performance.now();
    for await (const batch of events) {
      if (batch.some((data) => reader.add(data))) break;
      const deltas = reader.take();
      if (deltas.length > 0) {
        yield deltas;
        heardMs = performance.now();
      } else if (pause && performance.now() - heardMs > pause.maxMs) {
        throw pause.error();
      }
    }
    reader.end();
    yield reader.take();
  } catch (error) {
    const usage = reader.usage();
    yield [...reader.take(), {
      type: "error",
      ...(signal?.aborted ? ABORTED : failure(error)),
      ...(usage === undefined ? {} : { usage }),
    }];
  }
}

const ABORTED = { reason: "aborted", errorMessage: "Request aborted" } as const;

function failure(
  error: unknown,
): Omit<Extract<AssistantDelta, { type: "error" }>, "type"> {
  const errorMessage = error instanceof Error ? error.message : String(error);
  // Anything else is a fault of ours and has no kind: nobody should retry it.
  if (!(error instanceof ModelError)) return { reason: "error", errorMessage };
  const { kind: errorKind, retryAfterMs } = error;
  return {
    reason: "error",
    errorMessage,
    errorKind,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** Behind another address there may be a gateway that brings its own key. */
function needsKey(model: Model): boolean {
  return presetAtHome(model)?.needsKey === true;
}

const CREDENTIAL_NAMES =
  /^(authorization|proxy-authorization|cookie)$|key|token|secret/i;

function hasCredential(model: Model, options: StreamOptions): boolean {
  return headersOf(model, options).some(([name]) =>
    CREDENTIAL_NAMES.test(name)
  );
}

/** Everything in a request that must not be shown: the key, and headers that look like one. */
function secretsOf(model: Model, options: StreamOptions): string[] {
  const secrets = options.apiKey ? [options.apiKey.trim()] : [];
  for (const [name, value] of headersOf(model, options)) {
    if (!CREDENTIAL_NAMES.test(name)) continue;
    // The scheme in front, such as "Bearer", is no secret.
    secrets.push(value, ...value.split(/\s+/).slice(1));
  }
  return [...secrets, ...secretsOfUrl(model.baseUrl)];
}

/** What stands before the `@`, as it is written and as it is sent. */
function secretsOfUrl(address: string): string[] {
  const { username = "", password = "" } = URL.parse(address) ?? {};
  const secret = password || username;
  if (secret === "") return [];
  const pair = `${decoded(username)}:${decoded(password)}`;
  const sent = new TextEncoder().encode(pair).toBase64();
  return [secret, decoded(secret), sent];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function headersOf(model: Model, options: StreamOptions): [string, string][] {
  return Object.entries({ ...model.headers, ...options.headers })
    .filter((entry): entry is [string, string] => entry[1] !== null);
}
