import {
  Calls,
  checkTools,
  type FaultOptions,
  isCount,
  isObject,
  isText,
  type Json,
  need,
  objects,
} from "./fault_rules.ts";

const FIELDS = [
  "contents",
  "systemInstruction",
  "tools",
  "toolConfig",
  "generationConfig",
];
const KINDS = ["text", "inlineData", "functionCall", "functionResponse"];

/** Refuses a request in Google's format that the provider would refuse. The model is in the path. */
export function checkGoogle(body: Json, options: FaultOptions): void {
  for (const name of Object.keys(body)) {
    need(FIELDS.includes(name), `Unknown name "${name}": Cannot find field`);
  }
  const { systemInstruction, toolConfig } = body;
  if (systemInstruction !== undefined) {
    need(isObject(systemInstruction), "systemInstruction: must be an object");
    checkParts(systemInstruction.parts, "systemInstruction");
  }
  const tools = body.tools === undefined
    ? undefined
    : objects(body.tools, "tools")
      .flatMap((tool) => tool.functionDeclarations);
  checkTools({ tools, choice: toolConfig }, (tool) => {
    const { name, parametersJsonSchema: schema } = tool;
    need(/^[a-zA-Z_]/.test(String(name)), `tools: invalid ${name}`);
    need(tool.parameters === undefined, "tools: parameters of another dialect");
    checkReferences(schema);
    return { name, schema };
  }, options);
  checkGeneration(body.generationConfig);
  const calls = new Calls(/\S/);
  for (const [i, content] of objects(body.contents, "contents").entries()) {
    const at = `contents[${i}]`;
    const role = i % 2 === 0 ? "user" : "model";
    need(content.role === role, `${at}: must be of role ${role}`);
    const parts = checkParts(content.parts, at);
    if (role === "user") checkUserParts(parts, { at, calls });
    else checkAnswerParts(parts, { at, calls, options });
  }
  calls.close("contents");
}

function checkReferences(schema: unknown): void {
  JSON.stringify(schema, (_key, value) => {
    if (!isObject(value) || typeof value.$ref !== "string") return value;
    const others = Object.keys(value).filter((word) =>
      !["$ref", "description", "default"].includes(word)
    );
    need(others.length === 0, `tools: $ref alongside ${others}`);
    return value;
  });
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
  const { thinkingLevel: level, thinkingBudget } = thinkingConfig;
  if (level === undefined) return;
  need(
    thinkingBudget === undefined,
    "thinkingConfig: a level and a budget exclude each other",
  );
  need(
    ["LOW", "MEDIUM", "HIGH"].includes(level as string),
    `thinkingLevel: ${level} is not supported`,
  );
}

function checkParts(list: unknown, at: string): Json[] {
  const parts = objects(list, `${at}: parts`);
  for (const part of parts) {
    const kinds = KINDS.filter((kind) => kind in part);
    need(kinds.length === 1, `${at}: part of no kind, or of several`);
    if ("text" in part) need(isText(part.text), `${at}: empty text part`);
    if ("inlineData" in part) checkBlob(part.inlineData, at);
  }
  return parts;
}

function checkBlob(blob: unknown, at: string): void {
  need(isObject(blob) && isText(blob.data), `${at}: inlineData without data`);
  need(
    /^image\/(png|jpeg|webp)$/.test(String(blob.mimeType)),
    `${at}: Unsupported MIME type: ${blob.mimeType}`,
  );
}

function checkAnswerParts(
  parts: Json[],
  { at, calls, options }: { at: string; calls: Calls; options: FaultOptions },
): void {
  for (const part of parts) {
    need(!("functionResponse" in part), `${at}: response of the model`);
    if (!("functionCall" in part)) continue;
    const call = part.functionCall;
    need(isObject(call), `${at}: functionCall must be an object`);
    need(
      calls.open.size > 0 || !options.signedCalls ||
        isText(part.thoughtSignature),
      `${at}: Function call is missing a thought_signature`,
    );
    calls.add({ id: call.id, name: call.name, args: call.args }, at);
  }
}

function checkUserParts(
  parts: Json[],
  { at, calls }: { at: string; calls: Calls },
): void {
  let seenOther = false;
  for (const part of parts) {
    need(!("functionCall" in part), `${at}: call of the user`);
    if (!("functionResponse" in part)) {
      seenOther = true;
      continue;
    }
    const made = part.functionResponse;
    need(!seenOther, `${at}: function responses must come first`);
    need(isObject(made), `${at}: functionResponse must be an object`);
    const { id, name, response, parts = [] } = made;
    need(
      !calls.open.has(id) || calls.open.get(id) === name,
      `${at}: result without a call: ${id} ${name}`,
    );
    calls.answer(id, at);
    need(
      isObject(response) && isText(response.output ?? response.error),
      `${at}: response must be an object with output or error`,
    );
    for (const inner of parts as unknown[]) {
      need(isObject(inner), `${at}: part must be an object`);
      checkBlob(inner.inlineData, at);
    }
  }
  calls.close(at);
}
