import * as Type from "@sinclair/typebox";
import type { Model } from "../model/model.ts";

/** Puts `type` in front, where a reader of the published document looks for it. */
function typeFirst<Schema extends Type.TSchema>(schema: Schema): Schema {
  const { type, ...rest } = schema;
  return { type, ...rest } as unknown as Schema;
}

function textLike(bounds: Type.StringOptions) {
  return Type.Optional(typeFirst(Type.String(bounds)));
}

/** An object whose members all have the same schema. */
function recordOf<Schema extends Type.TSchema>(member: Schema) {
  return Type.Optional(
    Type.Unsafe<Record<string, Type.Static<Schema>>>({
      type: "object",
      additionalProperties: member,
    }),
  );
}

/** Names of models come to children in their environment, which can hold no NUL. */
const MODEL_NAME = { minLength: 1, pattern: "^[^\\x00-\\x1f\\x7f]*$" };
const count = Type.Optional(typeFirst(Type.Integer({ minimum: 1 })));
const flag = Type.Optional(Type.Boolean());
const rules = Type.Optional(
  typeFirst(Type.Array(Type.String(), { maxItems: 500 })),
);
const price = typeFirst(Type.Number({ minimum: 0 }));

const model = Type.Object({
  id: typeFirst(Type.String({ ...MODEL_NAME, maxLength: 200 })),
  name: textLike({ minLength: 1 }),
  contextWindow: count,
  maxTokens: count,
  input: Type.Optional(Type.Array(
    Type.Unsafe<Model["input"][number]>({ enum: ["text", "image"] }),
  )),
  reasoning: flag,
  /** US dollars a million tokens. */
  cost: Type.Optional(Type.Object({
    input: price,
    output: price,
    cacheRead: Type.Optional(price),
    cacheWrite: Type.Optional(price),
  })),
});

const provider = Type.Object({
  /** Needed unless the provider is a built-in one. */
  baseUrl: textLike({ pattern: "^https?://[^\\s/]" }),
  /** Needed unless the provider is a built-in one. */
  api: Type.Optional(Type.Unsafe<Model["api"]>({
    enum: [
      "openai-completions",
      "openai-responses",
      "anthropic-messages",
      "google-generative-ai",
    ],
  })),
  /** The variable that holds the key; without one no key is sent. */
  apiKeyEnv: textLike({ pattern: "^[A-Za-z_]\\w*$" }),
  /** Sent with each request. */
  headers: recordOf(Type.String()),
  models: Type.Optional(typeFirst(Type.Array(model, { maxItems: 1000 }))),
});

/**
 * Schema of a settings file. Unknown keys fit it: they come from a newer
 * version or are misspelt, and are warned about.
 */
export const settingsSchema = Type.Object({
  /** As `--model` takes it. */
  defaultModel: textLike(MODEL_NAME),
  /** Providers by name; the name of a built-in one changes that one. */
  providers: recordOf(provider),
  /** Names of the active tools. */
  tools: Type.Optional(Type.Array(
    typeFirst(Type.String({ pattern: "^[\\w-]{1,64}$" })),
  )),
  bash: Type.Optional(Type.Object({
    /** Seconds for a command that names no timeout. */
    timeoutS: Type.Optional(typeFirst(
      Type.Number({ exclusiveMinimum: 0, maximum: 86_400 }),
    )),
  })),
  /** Rules for tool calls, as `tool` or `tool(pattern)`; the lists of all files are taken together. */
  permissions: Type.Optional(Type.Object({
    /** Calls that are never made. Looked at first. */
    deny: rules,
    /** Calls that are made without asking. */
    allow: rules,
    /** Calls that are made when the user agrees. */
    ask: rules,
  })),
  sandbox: Type.Optional(Type.Object({
    /** Lets commands open unix sockets, which lead to other programs where these can be seen. Default false. */
    allowUnixSockets: flag,
  })),
  retry: Type.Optional(Type.Object({
    /** Times that a request that failed is made again. */
    maxRetries: Type.Optional(typeFirst(
      Type.Integer({ minimum: 0, maximum: 100 }),
    )),
  })),
  /** Shortening of conversations that near the model's window. */
  compaction: Type.Optional(Type.Object({
    /** Default true. */
    enabled: flag,
    /** Tokens that stay free for the answer. Default 16,384. */
    reserveTokens: count,
    /** Tokens of the latest messages that stay as they are. Default 20,000. */
    keepRecentTokens: count,
  })),
});

/** Settings of the user, in `TAU_HOME` and in a trusted project. */
export type Settings = Type.Static<typeof settingsSchema>;

/** Address, format, key and models of a provider. */
export type ProviderSettings = Type.Static<typeof provider>;

/** Facts of a provider's model; those that are absent are guessed from its id. */
export type ModelSettings = Type.Static<typeof model>;
