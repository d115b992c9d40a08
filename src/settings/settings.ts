import type { JsonSchema, Model } from "../model/mod.ts";

/** What the user has set, in `TAU_HOME` and in a trusted project. */
export interface Settings {
  /** As `--model` takes it. */
  defaultModel?: string;
  /** Providers by name; the name of a built-in one changes that one. */
  providers?: Record<string, ProviderSettings>;
  /** Names of the active tools. */
  tools?: string[];
  bash?: {
    /** Seconds that a command may take which names no timeout. */
    timeoutS?: number;
  };
  retry?: {
    /** How often a request that failed is made again. */
    maxRetries?: number;
  };
}

/** How a provider is reached. */
export interface ProviderSettings {
  /** Needed unless the provider is a built-in one. */
  baseUrl?: string;
  /** Needed unless the provider is a built-in one. */
  api?: Model["api"];
  /** The variable that holds the key; without one no key is sent. */
  apiKeyEnv?: string;
  /** Sent with each request. */
  headers?: Record<string, string>;
  models?: ModelSettings[];
}

/** What is known of a model of a provider; what is absent is guessed from its id. */
export interface ModelSettings extends
  Pick<Model, "id">,
  Partial<
    Pick<
      Model,
      "name" | "contextWindow" | "maxTokens" | "input" | "reasoning"
    >
  > {
  /** US dollars a million tokens. */
  cost?: {
    input: number;
    output: number;
    cacheRead?: number;
    cacheWrite?: number;
  };
}

const text = { type: "string", minLength: 1 };
const count = { type: "integer", minimum: 1 };
const price = { type: "number", minimum: 0 };

const model = {
  type: "object",
  required: ["id"],
  properties: {
    id: { ...text, maxLength: 200 },
    name: text,
    contextWindow: count,
    maxTokens: count,
    input: { type: "array", items: { enum: ["text", "image"] } },
    reasoning: { type: "boolean" },
    cost: {
      type: "object",
      required: ["input", "output"],
      properties: {
        input: price,
        output: price,
        cacheRead: price,
        cacheWrite: price,
      },
    },
  },
};

const provider = {
  type: "object",
  properties: {
    baseUrl: { type: "string", pattern: "^https?://[^\\s/]" },
    api: {
      enum: [
        "openai-completions",
        "openai-responses",
        "anthropic-messages",
        "google-generative-ai",
      ],
    },
    apiKeyEnv: { type: "string", pattern: "^[A-Za-z_]\\w*$" },
    headers: { type: "object", additionalProperties: { type: "string" } },
    models: { type: "array", maxItems: 1000, items: model },
  },
};

/**
 * JSON Schema of a settings file. Unknown keys fit it: they come from a newer
 * version or are misspelt, and are warned about.
 */
export const settingsSchema: JsonSchema = {
  type: "object",
  properties: {
    defaultModel: text,
    providers: { type: "object", additionalProperties: provider },
    tools: {
      type: "array",
      items: { type: "string", pattern: "^[\\w-]{1,64}$" },
    },
    bash: {
      type: "object",
      properties: {
        timeoutS: { type: "number", exclusiveMinimum: 0, maximum: 86_400 },
      },
    },
    retry: {
      type: "object",
      properties: {
        maxRetries: { type: "integer", minimum: 0, maximum: 100 },
      },
    },
  },
};
