/**
 * The reason why a provider gave no complete answer.
 *
 * | kind | meaning |
 * |---|---|
 * | `auth` | no key, or one that the provider does not take |
 * | `rate_limit` | too many requests; later ones may pass |
 * | `overloaded` | the provider is failing or busy (5xx, 529) |
 * | `unreachable` | no connection |
 * | `timeout` | connected, but silent for too long |
 * | `stream_cut` | the answer ended before its end was announced |
 * | `refused` | the request is wrong (other 4xx, unknown model) |
 * | `context_overflow` | the request is longer than the model can take |
 * | `quota` | the account may not spend more |
 * | `content_filter` | the provider withheld the answer |
 * | `replay_miss` | a recording has no answer to this request |
 */
export type ModelErrorKind =
  | "auth"
  | "rate_limit"
  | "overloaded"
  | "unreachable"
  | "timeout"
  | "stream_cut"
  | "refused"
  | "context_overflow"
  | "quota"
  | "content_filter"
  | "replay_miss";

/**
 * A provider failed. Never thrown out of a stream function: it becomes the
 * last event of the stream.
 */
export class ModelError extends Error {
  /** Always `ModelError`. */
  override name = "ModelError";
  /** The code to branch on. */
  readonly kind: ModelErrorKind;
  /** Milliseconds that the provider asked to wait. */
  readonly retryAfterMs?: number;

  /** `message` is for people. */
  constructor(
    kind: ModelErrorKind,
    message: string,
    options: { retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    if (options.retryAfterMs !== undefined) {
      this.retryAfterMs = options.retryAfterMs;
    }
  }
}

const RETRYABLE: ReadonlySet<ModelErrorKind> = new Set<ModelErrorKind>([
  "rate_limit",
  "overloaded",
  "unreachable",
  "timeout",
  "stream_cut",
]);

/** True when the same request may succeed later. */
export function isRetryable(kind: ModelErrorKind): boolean {
  return RETRYABLE.has(kind);
}
