import type { Api } from "../model/model.ts";
import type { ModelErrorKind } from "../model/model_error.ts";

/** The end of an answer: complete, cut by the output limit, or a failure. */
export type Ending = "stop" | "length" | keyof typeof FAILED_ENDINGS;

/** Failures that a stop reason can mean: their kind, and words that continue the provider's name. */
export const FAILED_ENDINGS = {
  withheld: ["content_filter", "withheld the answer"],
  broken: ["stream_cut", "broke the answer off"],
  failed: ["overloaded", "failed during the answer"],
  overflow: ["context_overflow", "ran out of context window during the answer"],
} as const satisfies Record<string, readonly [ModelErrorKind, string]>;

/** The stop reasons of each wire format, as servers write them. One that is not listed ends an answer as usual. */
export const STOP_REASONS: Record<Api, Record<string, Ending>> = {
  "openai-completions": {
    length: "length",
    max_tokens: "length",
    model_length: "length",
    content_filter: "withheld",
    error: "failed",
    network_error: "failed",
    insufficient_system_resource: "failed",
  },
  // The reason of an incomplete response, else its status.
  "openai-responses": {
    max_output_tokens: "length",
    content_filter: "withheld",
    incomplete: "broken",
    failed: "failed",
    cancelled: "failed",
  },
  "anthropic-messages": {
    max_tokens: "length",
    refusal: "withheld",
    model_context_window_exceeded: "overflow",
  },
  // An answer that is broken off may be right at the next try.
  "google-generative-ai": {
    MAX_TOKENS: "length",
    CONTINUATION: "length",
    SAFETY: "withheld",
    RECITATION: "withheld",
    LANGUAGE: "withheld",
    BLOCKLIST: "withheld",
    PROHIBITED_CONTENT: "withheld",
    SPII: "withheld",
    IMAGE_SAFETY: "withheld",
    IMAGE_PROHIBITED_CONTENT: "withheld",
    IMAGE_RECITATION: "withheld",
    MALFORMED_FUNCTION_CALL: "broken",
    UNEXPECTED_TOOL_CALL: "broken",
    TOO_MANY_TOOL_CALLS: "broken",
    MALFORMED_RESPONSE: "broken",
    OTHER: "broken",
  },
};

/** The ending that a stop reason stands for; `unlisted` for one that the table does not have. */
export function endingOf(
  api: Api,
  { word, unlisted = "stop" }: StopReason,
): Ending {
  const words = STOP_REASONS[api];
  return word !== undefined && Object.hasOwn(words, word)
    ? words[word] as Ending
    : unlisted;
}

/** A server's reason to end an answer. */
export interface StopReason {
  /** The server's word; absent where it gave none. */
  word: string | undefined;
  /** The server's explanation for people, unchecked. */
  explanation?: unknown;
  /** The ending of a word that the table does not have. Default `stop`. */
  unlisted?: Ending;
}
