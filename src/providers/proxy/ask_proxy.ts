import { ModelError, type ModelErrorKind } from "../../model/model_error.ts";
import type { AssistantDelta } from "../../model/stream.ts";
import { askProvider, type ProviderRequest } from "../ask_provider.ts";
import { parseJson } from "../json_value.ts";
import { ProviderErrors, type WordedFailure } from "../provider_error.ts";
import type { AnswerReader } from "../response_reader.ts";
import type { WireFormat } from "../wire_format.ts";
import { isLast } from "./delta_response.ts";
import { parseDelta } from "./parse_delta.ts";

/** The address of a proxy, and the token for it. */
export interface StreamProxyOptions {
  /** `/api/stream` is appended. */
  proxyUrl: string;
  /** Sent as a bearer token, and shown in no error. */
  authToken: string;
}

/**
 * Asks a proxy to answer a request. Its format is one more wire format: the
 * request as it is, and deltas as events. Never throws.
 */
export function askProxy(
  { proxyUrl, authToken }: StreamProxyOptions,
  { model: { headers: _, ...model }, context, options }: ProviderRequest,
): AsyncIterable<AssistantDelta[]> {
  const { temperature, maxTokens, reasoning, sessionId } = options;
  const { headers, toolChoice, signal, timeouts } = options;
  const sent = {
    temperature,
    maxTokens,
    reasoning,
    sessionId,
    headers,
    toolChoice,
  };
  const format: WireFormat = {
    path: () => "/api/stream",
    credential: (key) => ({ authorization: `Bearer ${key}` }),
    body: () => ({ model, context, options: sent }),
    reader: ({ errors }) => new ProxyReader(errors),
    errors: (secrets) => new ProxyErrors(secrets),
  };
  return askProvider(format, {
    model: { ...model, baseUrl: proxyUrl },
    context,
    options: { signal, timeouts, apiKey: authToken },
  });
}

/** Reads events that are deltas already. `done` or `error` completes the answer. */
class ProxyReader implements AnswerReader {
  announced = false;
  readonly #errors: ProviderErrors;
  #deltas: AssistantDelta[] = [];

  constructor(errors: ProviderErrors) {
    this.#errors = errors;
  }

  add(data: string): boolean {
    // Some proxies send no empty line between events.
    return data.split("\n").some((line) => this.#read(line));
  }

  end(): void {
    if (!this.announced) throw this.#errors.incomplete();
  }

  take(): AssistantDelta[] {
    const deltas = this.#deltas;
    this.#deltas = [];
    return deltas;
  }

  usage(): undefined {}

  #read(line: string): boolean {
    if (line.trim() === "") return false;
    const event = parseJson(line);
    if (event === undefined) throw this.#errors.incomplete();
    const delta = parseDelta(event, this.#errors);
    if (!delta) return false;
    this.#deltas.push(delta.type === "error" ? this.#failed(delta) : delta);
    return this.announced = isLast(delta);
  }

  #failed(delta: Extract<AssistantDelta, { type: "error" }>): AssistantDelta {
    // Some proxies give no reason.
    const { errorMessage: given = "the proxy gave no reason" } = delta;
    const errorMessage = this.#errors.redact(given);
    if (delta.reason === "error") return { ...delta, errorMessage };
    // Nobody here asked for an abort, so that it is a failure like others.
    const errorKind = "stream_cut";
    return { ...delta, errorMessage, reason: "error", errorKind };
  }
}

/** Words failures of the proxy, and of the way to it. */
class ProxyErrors extends ProviderErrors {
  override readonly aborted = "Request aborted by user";

  constructor(secrets: string[]) {
    super("Proxy error:", secrets);
  }

  override incomplete(
    _words?: string,
    options: { cause?: unknown } = {},
  ): ModelError {
    return new ModelError(
      "stream_cut",
      "Connection closed by proxy server before the response completed",
      options,
    );
  }

  override fromResponse(
    body: string,
    facts: Parameters<ProviderErrors["fromResponse"]>[1],
  ): ModelError {
    // Of a body that is no JSON the status says more.
    return super.fromResponse(
      parseJson(body) === undefined ? "" : body,
      facts,
    );
  }

  protected override sentence(
    _kind: ModelErrorKind,
    { status, statusText = "", words }: WordedFailure,
  ): string {
    const text = words || `${status ?? "the proxy failed"} ${statusText}`;
    return `Proxy error: ${text.trim()}`;
  }
}
