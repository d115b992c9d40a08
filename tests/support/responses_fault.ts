import {
  checkName,
  checkStrict,
  checkTools,
  type FaultOptions,
  isCount,
  isObject,
  isText,
  need,
  parse,
} from "./request_fault.ts";

type Json = Record<string, unknown>;

/** The calls of a request and which of them have their output. */
interface Calls {
  /** All that were made. */
  ids: Set<string>;
  /** Those without output. */
  open: Set<string>;
}

/** Refuses a request in OpenAI's responses format that a server without stored responses would refuse. */
export function checkResponses(body: Json, options: FaultOptions): void {
  const { input, max_output_tokens: limit, reasoning, include } = body;
  need(Array.isArray(input) && input.length > 0, "input: must not be empty");
  need(body.store === false, "store: must be false");
  need(
    body.instructions === undefined || isText(body.instructions),
    "instructions: must not be empty",
  );
  need(
    limit === undefined || (isCount(limit) && limit as number >= 16),
    "max_output_tokens: must be at least 16",
  );
  if (reasoning !== undefined) {
    need(
      isObject(reasoning) && isText(reasoning.effort),
      "reasoning: effort is missing",
    );
    need(
      Array.isArray(include) && include.includes("reasoning.encrypted_content"),
      "include: reasoning cannot be sent again without its encrypted content",
    );
  }
  const toolNames = checkTools(body.tools, (tool) => {
    need(tool.type === "function", "tools: type must be function");
    need(typeof tool.strict === "boolean", "tools: strict is missing");
    if (tool.strict) checkStrict(tool.parameters, "openai-completions");
    return [tool.name, tool.parameters];
  }, options);
  need(
    body.tool_choice === undefined || toolNames.size > 0,
    "tool_choice: only allowed with tools",
  );
  const calls: Calls = { ids: new Set(), open: new Set() };
  for (const [i, item] of (input as unknown[]).entries()) {
    const at = `input[${i}]`;
    need(isObject(item), `${at}: must be an object`);
    checkItem(item, { at, calls, next: (input as unknown[])[i + 1] });
  }
  const open = [...calls.open].join(", ");
  need(open === "", `no tool output found for function call: ${open}`);
}

function checkItem(
  item: Json,
  { at, calls, next }: { at: string; calls: Calls; next: unknown },
): void {
  switch (item.type ?? "message") {
    case "message":
      need(
        calls.open.size === 0 || item.role === "assistant",
        `${at}: a message before the output of a function call`,
      );
      checkMessage(item, at);
      break;
    case "reasoning":
      need(isText(item.id), `${at}: id is missing`);
      need(Array.isArray(item.summary), `${at}: summary is missing`);
      need(isText(item.encrypted_content), `${at}: item is not stored`);
      need(
        isObject(next) && next.type !== "function_call_output" &&
          next.role !== "user",
        `${at}: reasoning without its required following item`,
      );
      break;
    case "function_call": {
      const id = item.call_id;
      need(
        isText(id) && /^[a-zA-Z0-9_-]{1,64}$/.test(id),
        `${at}: call_id is missing, too long or of wrong characters`,
      );
      need(!calls.ids.has(id), `${at}: call_id used twice: ${id}`);
      need(item.id === undefined, `${at}: item is not stored`);
      calls.ids.add(id);
      calls.open.add(id);
      checkName(item.name, at);
      need(
        isObject(parse(item.arguments)),
        `${at}: arguments are not a JSON object`,
      );
      break;
    }
    case "function_call_output": {
      const id = item.call_id as string;
      need(
        calls.open.delete(id),
        `${at}: no function call found for output: ${id}`,
      );
      if (typeof item.output === "string") {
        need(isText(item.output), `${at}: empty output`);
      } else {
        checkParts(item.output, at);
      }
      break;
    }
    default:
      need(false, `${at}: unknown type ${item.type}`);
  }
}

function checkMessage({ role, content }: Json, at: string): void {
  need(role === "user" || role === "assistant", `${at}: unknown role ${role}`);
  if (role === "user") checkParts(content, at);
  else need(isText(content), `${at}: empty content`);
}

function checkParts(parts: unknown, at: string): void {
  need(Array.isArray(parts) && parts.length > 0, `${at}: empty content`);
  for (const part of parts as unknown[]) {
    need(isObject(part), `${at}: part of unknown type`);
    if (part.type === "input_text") {
      need(isText(part.text), `${at}: empty text part`);
    } else {
      need(part.type === "input_image", `${at}: part of unknown type`);
      need(
        /^data:image\/(png|jpeg|gif|webp);base64,./.test(
          String(part.image_url),
        ),
        `${at}: image is not a data URL`,
      );
    }
  }
}
