import type { Context, StreamOptions } from "../../model/stream.ts";
import { validateValue } from "../../model/validate_arguments.ts";
import { objectSchema } from "./object_schema.ts";

/** A client's request to a proxy. */
export interface ProxyRequest {
  /** Names only: address and headers are the proxy's. */
  model: { provider: string; id: string };
  context: Context;
  options: ProxyRequestOptions;
}

/** The settings that a client has a say in. */
export type ProxyRequestOptions = Pick<
  StreamOptions,
  "temperature" | "maxTokens" | "reasoning" | "sessionId" | "toolChoice"
>;

/** A request that a proxy does not answer; the message is for the client. */
export class ProxyRefusal extends Error {
  /** The HTTP status. */
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/**
 * Checks the body of a request, as far as wire formats rely on it. Everything
 * that is not named in {@linkcode ProxyRequest} is dropped. Throws a
 * {@linkcode ProxyRefusal}.
 */
export function parseProxyRequest(text: string): ProxyRequest {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw new ProxyRefusal(400, "The body is not JSON", { cause: error });
  }
  const [fault] = validateValue(REQUEST, body);
  if (fault) throw new ProxyRefusal(400, `${fault.path}: ${fault.message}`);
  const { model: { provider, id }, context, options = {} } =
    body as ProxyRequestWire;
  const { systemPrompt, messages, tools } = context;
  const { temperature, maxTokens, reasoning, sessionId, toolChoice } = options;
  return {
    model: { provider, id },
    context: defined({ systemPrompt, messages, tools }),
    options: defined({
      temperature,
      maxTokens,
      reasoning,
      sessionId,
      toolChoice,
    }),
  };
}

type ProxyRequestWire = Omit<ProxyRequest, "options"> & {
  options?: ProxyRequestOptions;
};

const TEXT = { type: "string" };
const NAME = { type: "string", minLength: 1, maxLength: 200 };
const OBJECT = { type: "object" };

const TEXT_BLOCK = objectSchema({ type: { const: "text" }, text: TEXT });
const USER_CONTENT = {
  type: "array",
  items: {
    anyOf: [
      TEXT_BLOCK,
      objectSchema({ type: { const: "image" }, data: TEXT, mimeType: TEXT }),
    ],
  },
};
const ASSISTANT_CONTENT = {
  type: "array",
  items: {
    anyOf: [
      TEXT_BLOCK,
      objectSchema({ type: { const: "thinking" }, thinking: TEXT }),
      objectSchema({
        type: { const: "toolCall" },
        id: TEXT,
        name: TEXT,
        arguments: OBJECT,
      }),
    ],
  },
};

const TOOLS = {
  type: "array",
  items: objectSchema({ name: NAME, description: TEXT, parameters: OBJECT }),
};

const MESSAGE = {
  anyOf: [
    objectSchema({
      role: { const: "user" },
      content: { anyOf: [TEXT, USER_CONTENT] },
    }),
    objectSchema({
      role: { const: "system" },
      content: { anyOf: [TEXT, { type: "array", items: TEXT_BLOCK }] },
    }, {
      sections: {
        type: "object",
        additionalProperties: { type: ["string", "null"] },
      },
      toolsAdded: TOOLS,
      toolsRemoved: { type: "array", items: objectSchema({ name: NAME }) },
    }),
    objectSchema({
      role: { const: "assistant" },
      content: ASSISTANT_CONTENT,
      stopReason: TEXT,
      api: TEXT,
      provider: TEXT,
      model: TEXT,
    }),
    objectSchema({
      role: { const: "toolResult" },
      toolCallId: TEXT,
      toolName: TEXT,
      content: USER_CONTENT,
      isError: { type: "boolean" },
    }),
  ],
};

const REQUEST = objectSchema({
  model: objectSchema({ provider: NAME, id: NAME }),
  context: objectSchema(
    { messages: { type: "array", items: MESSAGE } },
    { systemPrompt: TEXT, tools: TOOLS },
  ),
}, {
  options: objectSchema({}, {
    temperature: { type: "number" },
    maxTokens: { type: "integer", minimum: 1 },
    reasoning: { enum: ["minimal", "low", "medium", "high", "xhigh", "max"] },
    sessionId: NAME,
    toolChoice: { enum: ["auto", "none"] },
  }),
});

/** The object without members that are undefined. */
function defined<Value extends object>(value: Value): Value {
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined),
  ) as Value;
}
