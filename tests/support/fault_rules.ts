/** An object of a request. */
export type Json = Record<string, unknown>;

/** How picky the server is. */
export interface FaultOptions {
  /** Refuse two user or two assistant messages in a row, as chat templates do. Default true. */
  strictAlternation?: boolean;
  /** Refuse tool schemas with `anyOf`, `oneOf`, `allOf` or `$ref` at the top. Default false. */
  strictSchemas?: boolean;
  /** Refuse a turn whose first function call has no signature, as Gemini 3 does. Default false. */
  signedCalls?: boolean;
}

/** Why a request is refused. */
export class Fault extends Error {}

/** Refuses the request unless the condition holds. */
export function need(condition: unknown, why: string): asserts condition {
  if (!condition) throw new Fault(why);
}

/** The objects of a list that must not be empty. */
export function objects(list: unknown, at: string): Json[] {
  need(Array.isArray(list) && list.length > 0, `${at}: must not be empty`);
  for (const item of list as unknown[]) {
    need(isObject(item), `${at}: must hold objects`);
  }
  return list as Json[];
}

/** The calls of a request: each has an id of its own and one result, right behind it. */
export class Calls {
  /** Names of the calls without result, by id. */
  readonly open = new Map<unknown, unknown>();
  readonly #ids = new Set<unknown>();
  readonly #idPattern: RegExp;

  constructor(idPattern: RegExp) {
    this.#idPattern = idPattern;
  }

  add(
    { id, name, args }: { id: unknown; name: unknown; args: unknown },
    at: string,
  ): void {
    need(
      typeof id === "string" && this.#idPattern.test(id),
      `${at}: call id is missing or of wrong form: ${id}`,
    );
    need(!this.#ids.has(id), `${at}: call id used twice: ${id}`);
    checkName(name, at);
    need(isObject(args), `${at}: arguments are not a JSON object`);
    checkCharacters(args);
    this.#ids.add(id);
    this.open.set(id, name);
  }

  answer(id: unknown, at: string): void {
    need(this.open.delete(id), `${at}: result without a call: ${id}`);
  }

  /** Nothing but results may stand here while a call is open. */
  close(at: string): void {
    const ids = [...this.open.keys()].join(", ");
    need(ids === "", `${at}: a call has no result: ${ids}`);
  }
}

/** Refuses half of a character, at any depth. */
export function checkCharacters(value: unknown): void {
  JSON.stringify(value, (_key, item) => {
    need(
      typeof item !== "string" || item.isWellFormed(),
      "body: contains a lone surrogate",
    );
    return item;
  });
}

/** Refuses an image that is no URL with data. */
export function checkDataUrl(url: unknown, at: string): void {
  need(
    /^data:image\/(png|jpeg|gif|webp);base64,./.test(String(url)),
    `${at}: image is not a data URL`,
  );
}

/** A tool of any format. */
interface SeenTool {
  name: unknown;
  schema: unknown;
  strict?: unknown;
}

/** Refuses tools that no format takes, and a choice without any. */
export function checkTools(
  body: { tools: unknown; choice: unknown },
  read: (tool: Json) => SeenTool,
  { strictSchemas, style }: FaultOptions & { style?: StrictStyle },
): void {
  const names = new Set<unknown>();
  const total = { tools: 0, optional: 0, unions: 0 };
  const tools = body.tools === undefined ? [] : objects(body.tools, "tools");
  for (const tool of tools) {
    const { name, schema, strict } = read(tool);
    checkName(name, "tools");
    need(!names.has(name), `tools: name used twice: ${name}`);
    names.add(name);
    if (strict && style) {
      const { optional, unions } = checkStrict(schema, style);
      total.tools++;
      total.optional += optional;
      total.unions += unions;
    }
    need(
      isObject(schema) && schema.type === "object",
      `tools: schema of ${name} must be of type object`,
    );
    for (const word of ["anyOf", "oneOf", "allOf", "$ref"]) {
      need(
        !strictSchemas || !(word in schema),
        `tools: schema of ${name} must not have ${word} at the top`,
      );
    }
  }
  if (style === "anthropic") {
    need(total.tools <= 20, "tools: too many strict tools");
    need(total.optional <= 24, "tools: too many optional parameters");
    need(total.unions <= 16, "tools: too many parameters with union types");
  }
  need(
    body.choice === undefined || names.size > 0,
    "tool_choice: only allowed with tools",
  );
}

type StrictStyle = "openai" | "anthropic";

/** Words that a strict schema must not use, at any depth. */
const NOT_STRICT: Record<StrictStyle, string> = {
  openai: "allOf oneOf not if then else prefixItems contains " +
    "minContains maxContains uniqueItems patternProperties propertyNames " +
    "minProperties maxProperties dependencies dependentRequired " +
    "dependentSchemas unevaluatedItems unevaluatedProperties " +
    "additionalItems default minLength maxLength",
  anthropic: "oneOf not if then else prefixItems contains " +
    "uniqueItems patternProperties propertyNames minProperties " +
    "maxProperties minimum maximum exclusiveMinimum exclusiveMaximum " +
    "multipleOf minLength maxLength maxItems",
};

/** Refuses what the schema of a strict tool may not have; counts what is limited over all tools. */
function checkStrict(
  schema: unknown,
  style: StrictStyle,
  depth = 0,
): { optional: number; unions: number } {
  need(isObject(schema), "strict: a schema is missing");
  need(depth < 10, "strict: too many levels of nesting");
  for (const word of NOT_STRICT[style].split(" ")) {
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
        style !== "openai",
        `strict: 'required' must include every key; missing '${name}'`,
      );
      counts.optional++;
    }
  }
  if ([type].flat().includes("array")) children.push(schema.items);
  for (const child of children) {
    const { optional, unions } = checkStrict(child, style, depth + 1);
    counts.optional += optional;
    counts.unions += unions;
  }
  return counts;
}

function checkName(name: unknown, at: string): void {
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

/** True for an object that is not an array. */
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
