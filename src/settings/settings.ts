import type { Model } from "../model/model.ts";
import type { JsonSchema } from "../model/tool.ts";

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
  /** Which tool calls are made, as `tool` or `tool(pattern)`; the files' lists are taken together. */
  permissions?: {
    /** Never made. Looked at first. */
    deny?: string[];
    /** Made without asking. */
    allow?: string[];
    /** Made when the user says so. */
    ask?: string[];
  };
  sandbox?: {
    /** Let commands open unix sockets, which lead to other programs where these can be seen. Default false. */
    allowUnixSockets?: boolean;
  };
  retry?: {
    /** How often a request that failed is made again. */
    maxRetries?: number;
  };
  /** How a conversation is shortened that nears the model's window. */
  compaction?: {
    /** Default true. */
    enabled?: boolean;
    /** Tokens that stay free for the answer. Default 16,384. */
    reserveTokens?: number;
    /** Tokens of the latest messages that stay as they are. Default 20,000. */
    keepRecentTokens?: number;
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
/** Children get it in their environment, which can hold no NUL. */
const modelName = { ...text, pattern: "^[^\\x00-\\x1f\\x7f]*$" };
const count = { type: "integer", minimum: 1 };
const rules = { type: "array", maxItems: 500, items: { type: "string" } };
const price = { type: "number", minimum: 0 };

const model = {
  type: "object",
  required: ["id"],
  properties: {
    id: { ...modelName, maxLength: 200 },
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
    defaultModel: modelName,
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
    permissions: {
      type: "object",
      properties: { deny: rules, allow: rules, ask: rules },
    },
    sandbox: {
      type: "object",
      properties: { allowUnixSockets: { type: "boolean" } },
    },
    retry: {
      type: "object",
      properties: {
        maxRetries: { type: "integer", minimum: 0, maximum: 100 },
      },
    },
    compaction: {
      type: "object",
      properties: {
        enabled: { type: "boolean" },
        reserveTokens: count,
        keepRecentTokens: count,
      },
    },
  },
};
