import type { Api } from "../../src/model/model.ts";
import { checkGoogle } from "./google_fault.ts";
import { checkResponses } from "./responses_fault.ts";

/** A request as a server sees it. Header names are in lower case. */
export interface SeenRequest {
  headers: Record<string, string>;
  /** Parsed JSON. */
  body: unknown;
}

/** How picky the server is. */
export interface FaultOptions {
  /** Refuse two user or two assistant messages in a row, as chat templates do. Default true. */
  strictAlternation?: boolean;
  /** Refuse tool schemas with `anyOf`, `oneOf`, `allOf` or `$ref` at the top. Default false. */
  strictSchemas?: boolean;
  /** Refuse a turn whose first function call has no signature, as Gemini 3 does. Default false. */
  signedCalls?: boolean;
}

type Json = Record<string, unknown>;

/**
 * Why the real provider would refuse a request, or undefined. Stricter than
 * any single server: it unites the rules of several.
 */
export function findRequestFault(
  api: Api,
  request: SeenRequest & FaultOptions,
): string | undefined {
  const body = request.body;
  if (!isObject(body)) return "the body is not a JSON object";
  try {
    checkCommon(body, api);
    if (api === "openai-completions") checkCompletions(body, request);
    else if (api === "openai-responses") checkResponses(body, request);
    else if (api === "anthropic-messages") checkAnthropic(body, request);
    else if (api === "google-generative-ai") checkGoogle(body, request);
    else fail(`unknown api ${api}`);
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

class Fault extends Error {}

function fail(why: string): never {
  throw new Fault(why);
}

/** Refuses the request unless the condition holds. */
export function need(condition: unknown, why: string): asserts condition {
  if (!condition) fail(why);
}

function checkCommon(body: Json, api: Api): void {
  checkCharacters(body);
  // The model stands in the path.
  if (api === "google-generative-ai") return;
  need(isText(body.model), "model: must be a string that is not empty");
  need(body.stream === true, "stream: must be true");
  need(
    api === "openai-responses" ||
      (Array.isArray(body.messages) && body.messages.length > 0),
    "messages: must not be empty",
  );
}

/** No half of a character, at any depth. */
function checkCharacters(value: unknown): void {
  JSON.stringify(value, (_key, item) => {
    need(
      typeof item !== "string" || item.isWellFormed(),
      "body: contains a lone surrogate",
    );
    return item;
  });
}

function checkCompletions(body: Json, options: FaultOptions): void {
  const limits = [body.max_completion_tokens, body.max_tokens]
    .filter((limit) => limit !== undefined);
  need(limits.length <= 1, "max_tokens: given twice");
  for (const limit of limits) {
    need(isCount(limit), "max_completion_tokens: must be at least 1");
  }
  const toolNames = checkTools(body.tools, (tool) => {
    need(tool.type === "function", "tools: type must be function");
    const made = tool.function;
    need(isObject(made), "tools: function is missing");
    if (made.strict) checkStrict(made.parameters, "openai-completions");
    return [made.name, made.parameters];
  }, options);
  need(
    body.tool_choice === undefined || toolNames.size > 0,
    "tool_choice: only allowed with tools",
  );
  const ids = new Set<string>();
  let open: string[] = [];
  let previous: unknown;
  for (const [i, message] of (body.messages as unknown[]).entries()) {
    const at = `messages[${i}]`;
    need(isObject(message), `${at}: must be an object`);
    const { role } = message;
    if (open.length > 0) {
      need(
        role === "tool",
        `${at}: a tool call has no result: ${open.join(", ")}`,
      );
    }
    switch (role) {
      case "system":
      case "developer":
        need(i === 0, `${at}: ${role} must be first`);
        checkParts(message.content, at, ["text"]);
        break;
      case "user":
        checkParts(message.content, at, ["text", "image_url"]);
        break;
      case "assistant":
        open = checkAssistant(message, at, ids);
        break;
      case "tool": {
        const id = message.tool_call_id;
        need(
          typeof id === "string" && open.includes(id),
          `${at}: tool message without a call: ${id}`,
        );
        open = open.filter((other) => other !== id);
        need(
          typeof message.content === "string",
          `${at}: tool content must be a string`,
        );
        break;
      }
      default:
        fail(`${at}: unknown role ${role}`);
    }
    if (
      options.strictAlternation !== false && role === previous &&
      (role === "user" || role === "assistant")
    ) fail(`${at}: two ${role} messages in a row`);
    previous = role;
  }
  need(open.length === 0, `a tool call has no result: ${open.join(", ")}`);
}

function checkAssistant(message: Json, at: string, ids: Set<string>): string[] {
  const { content, tool_calls } = message;
  if (tool_calls === undefined) {
    need(
      typeof content === "string" && content.trim() !== "",
      `${at}: empty assistant message`,
    );
    return [];
  }
  need(
    Array.isArray(tool_calls) && tool_calls.length > 0,
    `${at}: tool_calls must not be empty`,
  );
  need(
    content === null || isText(content),
    `${at}: content must be null or not empty`,
  );
  return tool_calls.map((call: unknown) => {
    need(
      isObject(call) && call.type === "function" && isObject(call.function),
      `${at}: tool call of unknown shape`,
    );
    const { id } = call;
    need(
      isText(id) && id.length <= 64,
      `${at}: tool call id is missing or too long`,
    );
    need(!ids.has(id), `${at}: tool call id used twice: ${id}`);
    ids.add(id);
    checkName(call.function.name, at);
    const args = parse(call.function.arguments);
    need(isObject(args), `${at}: arguments are not a JSON object`);
    checkCharacters(args);
    return id;
  });
}

function checkParts(content: unknown, at: string, types: string[]): void {
  if (typeof content === "string") {
    need(content.trim() !== "", `${at}: empty content`);
    return;
  }
  need(Array.isArray(content) && content.length > 0, `${at}: empty content`);
  for (const part of content as unknown[]) {
    need(
      isObject(part) && types.includes(part.type as string),
      `${at}: part of unknown type`,
    );
    if (part.type === "text") {
      need(isText(part.text), `${at}: empty text part`);
    } else {
      need(
        isObject(part.image_url) &&
          /^data:image\/(png|jpeg|gif|webp);base64,./.test(
            String(part.image_url.url),
          ),
        `${at}: image is not a data URL`,
      );
    }
  }
}

function checkAnthropic(
  body: Json,
  request: SeenRequest & FaultOptions,
): void {
  const { headers } = request;
  need(headers["x-api-key"], "header x-api-key is missing");
  need(headers["anthropic-version"], "header anthropic-version is missing");
  need(isCount(body.max_tokens), "max_tokens: must be at least 1");
  if (isObject(body.thinking) && body.thinking.type === "enabled") {
    const budget = body.thinking.budget_tokens as number;
    need(budget >= 1024, "thinking.budget_tokens: must be at least 1024");
    need(
      budget < (body.max_tokens as number),
      "thinking.budget_tokens: must be less than max_tokens",
    );
    need(
      body.temperature === undefined,
      "temperature: not allowed with thinking",
    );
  }
  for (const block of (body.system ?? []) as unknown[]) {
    need(isObject(block) && isText(block.text), "system: empty text block");
  }
  const strict = { tools: 0, optional: 0, unions: 0 };
  const toolNames = checkTools(body.tools, (tool) => {
    if (tool.strict) {
      const counts = checkStrict(tool.input_schema, "anthropic-messages");
      strict.tools++;
      strict.optional += counts.optional;
      strict.unions += counts.unions;
    }
    return [tool.name, tool.input_schema];
  }, request);
  need(strict.tools <= 20, "tools: too many strict tools");
  need(strict.optional <= 24, "tools: too many optional parameters");
  need(strict.unions <= 16, "tools: too many parameters with union types");
  need(
    body.tool_choice === undefined || toolNames.size > 0,
    "tool_choice: only allowed with tools",
  );
  const marks = JSON.stringify(body).split('"cache_control":{').length - 1;
  need(marks <= 4, `cache_control: ${marks} blocks, at most 4 are allowed`);
  const ids = new Set<string>();
  let open: string[] = [];
  let previous: unknown;
  for (const [i, message] of (body.messages as unknown[]).entries()) {
    const at = `messages[${i}]`;
    need(isObject(message), `${at}: must be an object`);
    const { role, content } = message;
    need(
      role === "user" || role === "assistant",
      `${at}: unknown role ${role}`,
    );
    need(i > 0 || role === "user", `${at}: first message must be user`);
    need(role !== previous, `${at}: roles must alternate`);
    previous = role;
    need(Array.isArray(content) && content.length > 0, `${at}: empty content`);
    const blocks = content as unknown[];
    if (role === "user") {
      checkUserBlocks(blocks, at, open);
      open = [];
    } else {
      open = checkAnswerBlocks(blocks, at, ids);
    }
  }
  need(open.length === 0, `tool_use without tool_result: ${open.join(", ")}`);
  const last = (body.messages as Json[]).at(-1);
  if (last?.role === "assistant") {
    const text = (last.content as Json[]).at(-1)?.text;
    need(
      typeof text !== "string" || text === text.trimEnd(),
      "final assistant content cannot end with trailing whitespace",
    );
  }
}

function checkUserBlocks(blocks: unknown[], at: string, open: string[]): void {
  const left = new Set(open);
  let seenOther = false;
  for (const block of blocks) {
    need(isObject(block), `${at}: block must be an object`);
    if (block.type !== "tool_result") {
      seenOther = true;
      checkBlock(block, at);
      continue;
    }
    const id = block.tool_use_id as string;
    need(!seenOther, `${at}: tool_result blocks must come first`);
    need(left.delete(id), `${at}: tool_result without tool_use: ${id}`);
    const content = block.content;
    need(
      isText(content) || (Array.isArray(content) && content.length > 0),
      `${at}: empty tool_result`,
    );
    for (const part of Array.isArray(content) ? content as unknown[] : []) {
      need(isObject(part), `${at}: block must be an object`);
      checkBlock(part, at);
    }
  }
  need(
    left.size === 0,
    `${at}: tool_use without tool_result: ${[...left].join(", ")}`,
  );
}

function checkBlock(block: Json, at: string): void {
  if (block.type === "text") {
    need(isText(block.text), `${at}: text blocks must be non-empty`);
  } else {
    need(
      block.type === "image" && isObject(block.source) &&
        isText(block.source.data),
      `${at}: block of unknown type ${block.type}`,
    );
  }
}

function checkAnswerBlocks(
  blocks: unknown[],
  at: string,
  ids: Set<string>,
): string[] {
  const open: string[] = [];
  for (const block of blocks) {
    need(isObject(block), `${at}: block must be an object`);
    switch (block.type) {
      case "text":
        need(isText(block.text), `${at}: text blocks must be non-empty`);
        break;
      case "thinking":
        need(
          typeof block.thinking === "string" && isText(block.signature),
          `${at}: thinking without signature`,
        );
        break;
      case "redacted_thinking":
        need(isText(block.data), `${at}: redacted_thinking without data`);
        break;
      case "tool_use": {
        const id = block.id as string;
        need(
          typeof id === "string" && /^[a-zA-Z0-9_-]{1,64}$/.test(id),
          `${at}: tool_use id does not match the pattern: ${id}`,
        );
        need(!ids.has(id), `${at}: tool_use ids must be unique: ${id}`);
        ids.add(id);
        open.push(id);
        checkName(block.name, at);
        need(isObject(block.input), `${at}: input must be an object`);
        break;
      }
      default:
        fail(`${at}: block of unknown type ${block.type}`);
    }
  }
  return open;
}

/** Checks what all formats want of tools; the names of the tools. */
export function checkTools(
  tools: unknown,
  read: (tool: Json) => [name: unknown, schema: unknown],
  options: FaultOptions,
): Set<string> {
  const names = new Set<string>();
  if (tools === undefined) return names;
  need(Array.isArray(tools) && tools.length > 0, "tools: must not be empty");
  for (const tool of tools as unknown[]) {
    need(isObject(tool), "tools: must be objects");
    const [name, schema] = read(tool);
    checkName(name, "tools");
    need(!names.has(name as string), `tools: name used twice: ${name}`);
    names.add(name as string);
    need(
      isObject(schema) && schema.type === "object",
      `tools: schema of ${name} must be of type object`,
    );
    for (const word of ["anyOf", "oneOf", "allOf", "$ref"]) {
      need(
        !options.strictSchemas || !(word in schema),
        `tools: schema of ${name} must not have ${word} at the top`,
      );
    }
  }
  return names;
}

/** Words that a strict schema must not use, at any depth. */
const NOT_STRICT: Record<"openai-completions" | "anthropic-messages", string> =
  {
    "openai-completions": "allOf oneOf not if then else prefixItems contains " +
      "minContains maxContains uniqueItems patternProperties propertyNames " +
      "minProperties maxProperties dependencies dependentRequired " +
      "dependentSchemas unevaluatedItems unevaluatedProperties " +
      "additionalItems default minLength maxLength",
    "anthropic-messages": "oneOf not if then else prefixItems contains " +
      "uniqueItems patternProperties propertyNames minProperties " +
      "maxProperties minimum maximum exclusiveMinimum exclusiveMaximum " +
      "multipleOf minLength maxLength maxItems",
  };

/** Refuses what a tool with `strict` may not have; counts what is limited over all tools. */
export function checkStrict(
  schema: unknown,
  api: keyof typeof NOT_STRICT,
  depth = 0,
): { optional: number; unions: number } {
  need(isObject(schema), "strict: a schema is missing");
  need(depth < 10, "strict: too many levels of nesting");
  for (const word of NOT_STRICT[api].split(" ")) {
    need(!(word in schema), `strict: '${word}' is not permitted`);
  }
  const { type, properties = {}, required = [], anyOf = [] } = schema;
  need(
    type || "anyOf" in schema || "$ref" in schema,
    "strict: schema must have a 'type' key",
  );
  const counts = {
    optional: 0,
    unions: Array.isArray(type) || "anyOf" in schema ? 1 : 0,
  };
  const children = [...anyOf as unknown[]];
  if ([type].flat().includes("object")) {
    need(
      schema.additionalProperties === false,
      "strict: 'additionalProperties' must be false",
    );
    for (const [name, property] of Object.entries(properties as Json)) {
      children.push(property);
      if ((required as unknown[]).includes(name)) continue;
      need(
        api !== "openai-completions",
        `strict: 'required' must include every key; missing '${name}'`,
      );
      counts.optional++;
    }
  }
  if ([type].flat().includes("array")) children.push(schema.items);
  for (const child of children) {
    const { optional, unions } = checkStrict(child, api, depth + 1);
    counts.optional += optional;
    counts.unions += unions;
  }
  return counts;
}

/** A name of a tool. */
export function checkName(name: unknown, at: string): void {
  need(
    typeof name === "string" && /^[a-zA-Z0-9_-]{1,64}$/.test(name),
    `${at}: invalid tool name ${name}`,
  );
}

/** Parsed JSON, or undefined when it is none. */
export function parse(text: unknown): unknown {
  try {
    return JSON.parse(text as string);
  } catch {
    return undefined;
  }
}

/** True for an object that is no array. */
export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for a string that is not blank. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** True for a whole number from 1. */
export function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1;
}
