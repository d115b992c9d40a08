import type { JsonObject } from "../model/content.ts";
import type { Model } from "../model/model.ts";
import { ModelError } from "../model/model_error.ts";
import type {
  AssistantDelta,
  Context,
  StreamOptions,
} from "../model/stream.ts";
import { isCredentialHeader } from "../model/credential_header.ts";
import { DEFAULT_TIMEOUTS, readEvents } from "./http_stream.ts";
import { presetAtHome } from "./presets.ts";
import { ProviderErrors } from "./provider_error.ts";
import type { AnswerReader } from "./response_reader.ts";
import { parseJson, wellFormedJson } from "./json_value.ts";
import type { WireFormat } from "./wire_format.ts";

/** One request to a model. */
export interface ProviderRequest {
  model: Model;
  context: Context;
  options: StreamOptions;
}

/** Sends a request in a wire format and turns the response into deltas. Never throws. */
export function askProvider(
  format: WireFormat,
  { model, context, options }: ProviderRequest,
): AsyncGenerator<AssistantDelta[]> {
  const secrets = secretsOf(model, options);
  const errors = format.errors?.(secrets) ??
    new ProviderErrors(model.provider, secrets);
  const reader = format.reader({ model, context, errors });
  const send = async function* () {
    options.signal?.throwIfAborted();
    const key = options.apiKey?.trim();
    if (!key && needsKey(model) && !hasCredential(model, options)) {
      throw errors.missingKey();
    }
    const body = format.body(model, context, options);
    const hooked = await throughHooks(body, { model, options, format });
    const request = {
      model,
      options: hooked.options,
      errors,
      url: model.baseUrl.replace(/\/+$/, "") + format.path(model),
      headers: { ...format.headers, ...(key ? format.credential(key) : {}) },
      body: wellFormedJson(hooked.body),
    };
    yield* readEvents(request, () => reader.announced);
  };
  const { onProviderStreamEvent } = options;
  const events = onProviderStreamEvent
    ? told(send(), (event) => onProviderStreamEvent(event, model))
    : send();
  return readAnswer(reader, { events, errors, options });
}

/** The same events, each told to somebody as its JSON says it. */
async function* told(
  events: AsyncIterable<string[]>,
  tell: (event: unknown) => void,
): AsyncGenerator<string[]> {
  for await (const batch of events) {
    for (const data of batch) {
      const event = parseJson(data);
      if (event !== undefined) tell(event);
    }
    yield batch;
  }
}

/** Body and options as the hooks of a request leave them. */
async function throughHooks(
  body: object,
  { model, options, format }: {
    model: Model;
    options: StreamOptions;
    format: WireFormat;
  },
): Promise<{ body: object; options: StreamOptions }> {
  const { hooks = {}, onPayload } = options;
  if (!options.hooks && !onPayload) return { body, options };
  const shown = headersOf(model, options)
    .filter(([name]) => !isCredentialHeader(name));
  const added = await hooks.headers?.({
    ...format.headers,
    ...Object.fromEntries(shown),
  });
  const hooked = await hooks.request?.(body as JsonObject) ?? body;
  const given = await onPayload?.(hooked, model);
  return {
    body: typeof given === "object" && given !== null ? given : hooked,
    options: added
      ? { ...options, headers: { ...options.headers, ...added } }
      : options,
  };
}

/**
 * Turns the events of a response into deltas, a batch for each batch of
 * events. Never throws: an error of the events or of the reader becomes a last
 * `error`, or `aborted` when the signal asked for it.
 */
export async function* readAnswer(
  reader: AnswerReader,
  { events, errors, options: { signal, timeouts } }: {
    events: AsyncIterable<string[]>;
    errors: ProviderErrors;
    options: StreamOptions;
  },
): AsyncGenerator<AssistantDelta[]> {
  const { answerMs } = { ...DEFAULT_TIMEOUTS, ...timeouts };
  try {
    let heardMs = performance.now();
    for await (const batch of events) {
      if (batch.some((data) => reader.add(data))) break;
      const deltas = reader.take();
      if (deltas.length > 0) {
        yield deltas;
        heardMs = performance.now();
      } else if (performance.now() - heardMs > answerMs) {
        // Events alone are no answer: servers send some for as long as they live.
        const words = `sent nothing of an answer for ${answerMs / 1000} s`;
        throw errors.of("timeout", words);
      }
    }
    reader.end();
    yield reader.take();
  } catch (error) {
    const usage = reader.usage();
    yield [...reader.take(), {
      type: "error",
      ...(signal?.aborted
        ? { reason: "aborted", errorMessage: errors.aborted }
        : failure(error)),
      ...(usage === undefined ? {} : { usage }),
    }];
  }
}

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

function hasCredential(model: Model, options: StreamOptions): boolean {
  return headersOf(model, options).some(([name]) => isCredentialHeader(name));
}

/** Everything in a request that must not be shown: the key, and headers that look like one. */
function secretsOf(model: Model, options: StreamOptions): string[] {
  const secrets = options.apiKey ? [options.apiKey.trim()] : [];
  for (const [name, value] of headersOf(model, options)) {
    if (!isCredentialHeader(name)) continue;
    // The scheme in front, such as "Bearer", is no secret.
    secrets.push(value, ...value.split(/\s+/).slice(1));
  }
  return [...secrets, ...secretsOfUrl(model.baseUrl)];
}

/** The password of a URL, or its user name, as it is written and as it is sent. */
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
