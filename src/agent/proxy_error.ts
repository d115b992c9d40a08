import { ModelError, type ModelErrorKind } from "../model/model_error.ts";
import type { AssistantDelta } from "../model/stream.ts";
import { bodyChunks } from "./body_chunks.ts";
import { errorText } from "./error_text.ts";

/** The last step of an answer that failed. */
export type ErrorDelta = Extract<AssistantDelta, { type: "error" }>;

/** What an error's body gets to arrive. */
const ERROR_BODY_MS = 5000;
const MAX_ERROR_BYTES = 64 * 1024;
const MAX_WORDS = 500;
/** Shorter ones are placeholders, and parts of ordinary words. */
const MIN_SECRET = 8;

/** A failure of the proxy, or on the way to it. */
export function proxyFault(
  kind: ModelErrorKind,
  words: string,
  options: { retryAfterMs?: number; cause?: unknown } = {},
): ModelError {
  return new ModelError(kind, `Proxy error: ${words}`, options);
}

/** The failure that a response tells by its status and the beginning of its body. */
export async function responseFault(
  { status, statusText, headers, body }: Response,
  { signal, secret }: { signal?: AbortSignal | undefined; secret: string },
): Promise<ModelError> {
  const text = body ? await readStart(body, signal) : "";
  // Before cutting, so that no half of the secret is left at the end.
  const words = hideSecret(errorOf(text) ?? `${status} ${statusText}`, secret);
  const seconds = Number(headers.get("retry-after"));
  return proxyFault(
    kindOf(status),
    words.slice(0, MAX_WORDS).toWellFormed().trim(),
    seconds > 0 ? { retryAfterMs: seconds * 1000 } : {},
  );
}

/** What failed before there was a response, without URLs, which may hold a password. */
export function connectionFault(host: string, error: unknown): ModelError {
  const why = errorText(error instanceof Error ? error.cause ?? error : error)
    .replace(/^.*\burl \([^)]*\): /, "")
    .replace(/https?:\/\/\S+/g, "(URL)")
    .replace(/ \(os error \d+\)$/, "");
  return proxyFault("unreachable", `cannot be reached at ${host}: ${why}`, {
    cause: error,
  });
}

/** The step that ends an answer with a failure. */
export function failureDelta(error: unknown): ErrorDelta {
  const delta: ErrorDelta = {
    type: "error",
    reason: "error",
    errorMessage: errorText(error),
  };
  // Anything else is a fault of ours and has no kind: nobody should retry it.
  if (!(error instanceof ModelError)) return delta;
  const { kind: errorKind, retryAfterMs } = error;
  return {
    ...delta,
    errorKind,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** The text without a secret that a server may have repeated. */
export function hideSecret(text: string, secret: string | undefined): string {
  return secret === undefined || secret.length < MIN_SECRET
    ? text
    : text.replaceAll(secret, "***");
}

/** The beginning of a body; what arrived, when the rest does not. */
async function readStart(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<string> {
  const decoder = new TextDecoder();
  const limits = {
    idleMs: ERROR_BODY_MS,
    expired: () => proxyFault("timeout", "the body of an error did not arrive"),
    signal,
  };
  let text = "";
  let room = MAX_ERROR_BYTES;
  try {
    for await (const chunk of bodyChunks(body, limits)) {
      text += decoder.decode(chunk.subarray(0, room), { stream: true });
      room -= chunk.byteLength;
      if (room <= 0) break;
    }
  } catch {
    signal?.throwIfAborted();
  }
  return text;
}

/** The words of `{ "error": "…" }`, in one line. */
function errorOf(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    const words = typeof error === "string" ? error : "";
    return words.replace(/\s+/g, " ").trim() || undefined;
  } catch {
    return undefined;
  }
}

function kindOf(status: number): ModelErrorKind {
  if (status === 401 || status === 403) return "auth";
  if (status === 408 || status === 504) return "timeout";
  if (status === 413) return "context_overflow";
  if (status === 429) return "rate_limit";
  return status >= 500 ? "overloaded" : "refused";
}
