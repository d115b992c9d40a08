/** A wire format. */
export type Api =
  | "openai-completions"
  | "openai-responses"
  | "anthropic-messages"
  | "google-generative-ai";

/** Effort of a reasoning model's thinking. */
export type ThinkingLevel =
  | "off"
  | "minimal"
  | "low"
  | "medium"
  | "high"
  | "xhigh"
  | "max";

/** A model and how to reach it. Carries no credential. */
export interface Model {
  /** The provider's id. */
  id: string;
  /** The name that people see. */
  name: string;
  /** The wire format that it is spoken to in. */
  api: Api;
  /** The provider's name, such as `anthropic`. */
  provider: string;
  /** Without a slash at the end; the wire format appends its own path. */
  baseUrl: string;
  /** The kinds of input that it takes. */
  input: ("text" | "image")[];
  /** True when it can think before it answers. */
  reasoning: boolean;
  /** Tokens of input and output together. */
  contextWindow: number;
  /** Tokens of output in one response. */
  maxTokens: number;
  /** US dollars a million tokens; absent when unknown. */
  cost?: {
    input: number;
    output: number;
    cacheRead: number;
    cacheWrite: number;
  };
  /** Sent with each request. */
  headers?: Record<string, string>;
}
