import type { Model } from "../model/model.ts";
import { ModelError, type ModelErrorKind } from "../model/model_error.ts";
import { classifyError, type ProviderFailure } from "./classify_error.ts";
import { googleErrorDetails } from "./google_error_details.ts";
import {
  asArray,
  asRecord,
  asText,
  type JsonRecord,
  parseJson,
} from "./json_value.ts";
import { findPreset, keyNames } from "./presets.ts";

const MAX_WORDS = 500;
/** Text beyond this is not looked at; it bounds what the patterns cost. */
const MAX_TEXT = 8192;
/** Shorter ones are placeholders of local servers, and parts of ordinary words. */
const MIN_SECRET = 8;

const PHRASES: Record<ModelErrorKind, string> = {
  auth: "did not accept the API key",
  rate_limit: "limits the rate of requests",
  overloaded: "is overloaded or failing",
  unreachable: "cannot be reached",
  timeout: "took too long",
  stream_cut: "sent an incomplete answer",
  refused: "refused the request",
  context_overflow: "refused the request as too long for the model",
  quota: "refused the request because the account may not spend more",
  content_filter: "withheld the answer",
  replay_miss: "has no recorded answer",
};

/**
 * Words the failures of one request: who failed, the status, the server's own
 * words, and what would help. The request's secrets never get into a message,
 * also when the server repeats them.
 */
export class ProviderErrors {
  #model: Model;
  #secrets: string[];

  constructor(model: Model, secrets: string[] = []) {
    this.#model = model;
    this.#secrets = secrets
      .filter((secret) => secret.length >= MIN_SECRET)
      // The longest first, so that no secret is cut by a part of itself.
      .toSorted((a, b) => b.length - a.length);
  }

  /** A failure in our words, which continue the provider's name. */
  of(
    kind: ModelErrorKind,
    words: string,
    options: { cause?: unknown } = {},
  ): ModelError {
    const message = this.#redact(`${this.#model.provider} ${words}`);
    return new ModelError(kind, message, options);
  }

  /** Nobody answers the connection; a server on this machine is to be started first. */
  unreachable(words: string, options: { cause?: unknown } = {}): ModelError {
    const { startCommand, baseUrlEnv } = findPreset(this.#model.provider) ?? {};
    const hint = startCommand
      ? `; start it (${startCommand}), or set ${baseUrlEnv} to where it is`
      : "";
    return this.of("unreachable", words + hint, options);
  }

  /** Says that no key is there, before anything is sent. */
  missingKey(): ModelError {
    return new ModelError(
      "auth",
      `No API key for ${this.#model.provider}; ${this.#keyHint()}`,
    );
  }

  /** An error response: its status and (the beginning of) its body. */
  fromResponse(
    body: string,
    { status, retryAfterMs }: {
      status: number;
      retryAfterMs?: number | undefined;
    },
  ): ModelError {
    // Before cutting, so that no half of a secret is left at the end.
    const text = this.#redact(body).trim();
    const json = parseJson(text);
    const failure = json === undefined
      ? { message: plainText(text) }
      : describe(json);
    return this.#word({ status, ...failure }, retryAfterMs);
  }

  /** The value of `error` in an event, or a whole event that is an error. */
  fromEvent(error: unknown): ModelError {
    return this.#word(describe({ error }));
  }

  #word(
    failure: DescribedFailure,
    retryAfterMs: number | undefined = failure.retryAfterMs,
  ): ModelError {
    const message = this.#redact(failure.message).slice(0, MAX_TEXT);
    const kind = classifyError({ ...failure, message });
    let text = `${this.#model.provider} ${PHRASES[kind]}`;
    if (failure.status !== undefined) text += ` (${failure.status})`;
    const words = message.replace(/\s+/g, " ").trim();
    if (words) text += `: ${shorten(words)}`;
    if (kind === "auth") text += `; ${this.#keyHint()}`;
    return new ModelError(
      kind,
      text,
      retryAfterMs === undefined ? {} : { retryAfterMs },
    );
  }

  #keyHint(): string {
    const { provider } = this.#model;
    const preset = findPreset(provider);
    return preset
      ? `set ${keyNames(preset)}`
      : `check the key of provider "${provider}" in the settings`;
  }

  #redact(text: string): string {
    for (const secret of this.#secrets) text = text.replaceAll(secret, "***");
    return text;
  }
}

/** A failure as the server describes it. */
type DescribedFailure = ProviderFailure & { retryAfterMs?: number };

/** Finds the words in the shapes that servers give to an error body. */
function describe(json: unknown): DescribedFailure {
  const body = asRecord(Array.isArray(json) ? json[0] : json) ?? {};
  const inner = asRecord(body.error) ?? body;
  const code = codeOf(inner.code);
  const { reason, ...details } = googleErrorDetails(inner);
  const type = [asText(inner.type) ?? asText(inner.status), reason]
    .filter((word) => word !== undefined).join(" ");
  const message = asText(inner.message) ?? asText(body.error) ??
    asText(body.message) ?? detailOf(body) ?? "";
  // A gateway's own words say only that its upstream failed.
  const raw = asText(asRecord(inner.metadata)?.raw);
  return {
    ...(code === undefined ? {} : { code }),
    ...(type === "" ? {} : { type }),
    ...details,
    message: raw === undefined ? message : `${message}: ${raw}`,
  };
}

function codeOf(code: unknown): string | undefined {
  return typeof code === "number" ? String(code) : asText(code);
}

/** The `detail` of web frameworks: a text, or a list of faults. */
function detailOf(body: JsonRecord): string | undefined {
  const texts = asArray(body.detail).slice(0, 5)
    .map((fault) => asText(asRecord(fault)?.msg))
    .filter((text) => text !== undefined);
  return asText(body.detail) ?? (texts.join("; ") || undefined);
}

/** The words of an error page; other text as it is. */
function plainText(text: string): string {
  if (!/^\s*<(!doctype|html|head|body|\?xml)/i.test(text)) return text;
  const page = text.slice(0, MAX_TEXT);
  const title = /<title[^>]*>([^<]*)/i.exec(page)?.[1]?.trim();
  return title || page.replace(/<[^<>]*>/g, " ").trim();
}

function shorten(words: string): string {
  return words.length > MAX_WORDS
    ? `${words.slice(0, MAX_WORDS).toWellFormed()}…`
    : words;
}
