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
import { redactor } from "./redact.ts";

const MAX_WORDS = 500;
/** Text beyond this is not looked at; it bounds what the patterns cost. */
const MAX_TEXT = 8192;

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

/** True for the name of a kind of failure, and where there is none. */
export function isErrorKind(kind: string | undefined): boolean {
  return kind === undefined || Object.hasOwn(PHRASES, kind);
}

/**
 * Words the failures of one request: who failed, the status, the server's own
 * words, and what would help. The request's secrets never get into a message,
 * also when the server repeats them.
 */
export class ProviderErrors {
  /** The message of a request that its caller aborted. */
  readonly aborted: string = "Request aborted";
  /** Hides the request's secrets in a text. */
  readonly redact: (text: string) => string;
  readonly #provider: string;

  constructor(provider: string, secrets: string[] = []) {
    this.#provider = provider;
    this.redact = redactor(secrets);
  }

  /** A failure in our words, which continue the provider's name. */
  of(
    kind: ModelErrorKind,
    words: string,
    options: { cause?: unknown } = {},
  ): ModelError {
    const message = this.redact(`${this.#provider} ${words}`);
    return new ModelError(kind, message, options);
  }

  /** The answer broke off; the words say where it did. */
  incomplete(
    words = "ended the answer before it was complete",
    options: { cause?: unknown } = {},
  ): ModelError {
    return this.of("stream_cut", words, options);
  }

  /** Nobody answers the connection; a server on this machine is to be started first. */
  unreachable(words: string, options: { cause?: unknown } = {}): ModelError {
    const { startCommand, baseUrlEnv } = findPreset(this.#provider) ?? {};
    const hint = startCommand
      ? `; start it (${startCommand}), or set ${baseUrlEnv} to where it is`
      : "";
    return this.of("unreachable", words + hint, options);
  }

  /** Says that no key is there, before anything is sent. */
  missingKey(): ModelError {
    return new ModelError(
      "auth",
      `No API key for ${this.#provider}; ${this.#keyHint()}`,
    );
  }

  /** An error response: its status and (the beginning of) its body. */
  fromResponse(
    body: string,
    { status, statusText = "", retryAfterMs }: {
      status: number;
      statusText?: string;
      retryAfterMs?: number | undefined;
    },
  ): ModelError {
    // Before cutting, so that no half of a secret is left at the end.
    const text = this.redact(body).trim();
    const json = parseJson(text);
    const failure = json === undefined
      ? { message: plainText(text) }
      : describe(json);
    return this.#word({ status, statusText, ...failure }, retryAfterMs);
  }

  /** The value of `error` in an event, or a whole event that is an error. */
  fromEvent(error: unknown): ModelError {
    return this.#word(describe({ error }));
  }

  #word(
    failure: DescribedFailure,
    retryAfterMs: number | undefined = failure.retryAfterMs,
  ): ModelError {
    const message = this.redact(failure.message).slice(0, MAX_TEXT);
    const kind = classifyError({ ...failure, message });
    const words = shorten(message.replace(/\s+/g, " ").trim());
    const text = this.sentence(kind, { ...failure, words });
    return new ModelError(
      kind,
      text,
      retryAfterMs === undefined ? {} : { retryAfterMs },
    );
  }

  /** The message of a failure, with the server's own words. */
  protected sentence(
    kind: ModelErrorKind,
    { status, words }: WordedFailure,
  ): string {
    let text = `${this.#provider} ${PHRASES[kind]}`;
    if (status !== undefined) text += ` (${status})`;
    if (words !== "") text += `: ${words}`;
    return kind === "auth" ? `${text}; ${this.#keyHint()}` : text;
  }

  #keyHint(): string {
    const preset = findPreset(this.#provider);
    return preset
      ? `set ${keyNames(preset)}`
      : `check the key of provider "${this.#provider}" in the settings`;
  }
}

/** A failure as the server describes it. */
type DescribedFailure = ProviderFailure & {
  statusText?: string;
  retryAfterMs?: number;
};

/** A failure whose words fit into a message; they are empty when the server gave none. */
export interface WordedFailure {
  status?: number;
  statusText?: string;
  words: string;
}

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
