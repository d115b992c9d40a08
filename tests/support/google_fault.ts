import {
  checkName,
  checkTools,
  type FaultOptions,
  isCount,
  isObject,
  isText,
  need,
  type SeenRequest,
} from "./request_fault.ts";

type Json = Record<string, unknown>;

const FIELDS = [
  "contents",
  "systemInstruction",
  "tools",
  "toolConfig",
  "generationConfig",
];
const KINDS = ["text", "inlineData", "functionCall", "functionResponse"];

/** Refuses a request in Google's format that the provider would refuse. The model is in the path. */
export function checkGoogle(
  body: Json,
  request: SeenRequest & FaultOptions,
): void {
  need(request.headers["x-goog-api-key"], "header x-goog-api-key is missing");
  for (const name of Object.keys(body)) {
    need(FIELDS.includes(name), `Unknown name "${name}": Cannot find field`);
  }
  const { contents, systemInstruction, toolConfig } = body;
  if (systemInstruction !== undefined) {
    need(isObject(systemInstruction), "systemInstruction: must be an object");
    checkParts(systemInstruction.parts, "systemInstruction");
  }
  const names = checkDeclarations(body.tools, request);
  need(
    toolConfig === undefined || names.size > 0,
    "toolConfig: only allowed with tools",
  );
  checkGeneration(body.generationConfig);
  need(
    Array.isArray(contents) && contents.length > 0,
    "contents: must not be empty",
  );
  const ids = new Set<string>();
  let open = new Map<string, unknown>();
  for (const [i, content] of (contents as unknown[]).entries()) {
    const at = `contents[${i}]`;
    need(isObject(content), `${at}: must be an object`);
    const role = i % 2 === 0 ? "user" : "model";
    need(content.role === role, `${at}: must be of role ${role}`);
    const parts = checkParts(content.parts, at);
    if (role === "user") {
      checkResponses(parts, { at, open });
      open = new Map();
    } else {
      open = checkCalls(parts, { at, ids, request });
    }
  }
  need(open.size === 0, "the last function calls have no responses");
}

function checkDeclarations(tools: unknown, options: FaultOptions): Set<string> {
  if (tools === undefined) return new Set();
  need(Array.isArray(tools) && tools.length > 0, "tools: must not be empty");
  const declarations = (tools as Json[]).flatMap((tool) =>
    tool.functionDeclarations as unknown[]
  );
  return checkTools(declarations, (tool) => {
    need(/^[a-zA-Z_]/.test(String(tool.name)), `tools: invalid ${tool.name}`);
    need(tool.parameters === undefined, "tools: parameters of another dialect");
    JSON.stringify(tool.parametersJsonSchema, (_key, value) => {
      if (isObject(value) && typeof value.$ref === "string") {
        const others = Object.keys(value).filter((word) =>
          !["$ref", "description", "default"].includes(word)
        );
        need(others.length === 0, `tools: $ref alongside ${others}`);
      }
      return value;
    });
    return [tool.name, tool.parametersJsonSchema];
  }, options);
}

function checkGeneration(config: unknown): void {
  if (config === undefined) return;
  need(isObject(config), "generationConfig: must be an object");
  const { maxOutputTokens, thinkingConfig } = config;
  need(
    maxOutputTokens === undefined || isCount(maxOutputTokens),
    "maxOutputTokens: must be positive",
  );
  if (thinkingConfig === undefined) return;
  need(isObject(thinkingConfig), "thinkingConfig: must be an object");
  const { thinkingLevel, thinkingBudget } = thinkingConfig;
  need(
    thinkingLevel === undefined || thinkingBudget === undefined,
    "thinkingConfig: a level and a budget exclude each other",
  );
  need(
    thinkingLevel === undefined ||
      ["LOW", "MEDIUM", "HIGH"].includes(thinkingLevel as string),
    `thinkingLevel: ${thinkingLevel} is not supported`,
  );
}

function checkParts(parts: unknown, at: string): Json[] {
  need(Array.isArray(parts) && parts.length > 0, `${at}: empty parts`);
  for (const part of parts as unknown[]) {
    need(isObject(part), `${at}: part must be an object`);
    const kinds = KINDS.filter((kind) => kind in part);
    need(kinds.length === 1, `${at}: part of no kind, or of several`);
    if ("text" in part) need(isText(part.text), `${at}: empty text part`);
    if ("inlineData" in part) checkBlob(part.inlineData, at);
  }
  return parts as Json[];
}

function checkBlob(blob: unknown, at: string): void {
  need(isObject(blob) && isText(blob.data), `${at}: inlineData without data`);
  need(
    /^image\/(png|jpeg|webp)$/.test(String(blob.mimeType)),
    `${at}: Unsupported MIME type: ${blob.mimeType}`,
  );
}

/** The calls of a content: names by id. */
function checkCalls(
  parts: Json[],
  { at, ids, request }: {
    at: string;
    ids: Set<string>;
    request: FaultOptions;
  },
): Map<string, unknown> {
  const open = new Map<string, unknown>();
  for (const part of parts) {
    need(!("functionResponse" in part), `${at}: response of the model`);
    if (!("functionCall" in part)) continue;
    const call = part.functionCall;
    need(isObject(call) && isObject(call.args), `${at}: args is no object`);
    checkName(call.name, at);
    need(isText(call.id), `${at}: a call has no id`);
    need(!ids.has(call.id), `${at}: id used twice: ${call.id}`);
    need(
      open.size > 0 || !request.signedCalls || isText(part.thoughtSignature),
      `${at}: Function call is missing a thought_signature`,
    );
    ids.add(call.id);
    open.set(call.id, call.name);
  }
  return open;
}

function checkResponses(
  parts: Json[],
  { at, open }: { at: string; open: Map<string, unknown> },
): void {
  const left = new Map(open);
  let seenOther = false;
  for (const part of parts) {
    need(!("functionCall" in part), `${at}: call of the user`);
    if (!("functionResponse" in part)) {
      seenOther = true;
      continue;
    }
    const response = part.functionResponse;
    need(!seenOther, `${at}: function responses must come first`);
    need(isObject(response), `${at}: functionResponse must be an object`);
    const id = response.id as string;
    need(
      left.has(id) && left.get(id) === response.name,
      `${at}: function response without its call: ${id} ${response.name}`,
    );
    left.delete(id);
    need(
      isObject(response.response) &&
        isText(response.response.output ?? response.response.error),
      `${at}: response must be an object with output or error`,
    );
    for (const inner of (response.parts ?? []) as unknown[]) {
      need(isObject(inner), `${at}: part must be an object`);
      checkBlob(inner.inlineData, at);
    }
  }
  need(
    left.size === 0,
    `${at}: the number of function responses is not that of the function calls`,
  );
}
