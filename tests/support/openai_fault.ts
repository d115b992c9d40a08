import {
  Calls,
  checkDataUrl,
  checkTools,
  type FaultOptions,
  isCount,
  isObject,
  isText,
  type Json,
  need,
  objects,
  parse,
} from "./fault_rules.ts";

const style = "openai";

/** Refuses a request in the completions format that some server would refuse. */
export function checkCompletions(body: Json, options: FaultOptions): void {
  const limits = [body.max_completion_tokens, body.max_tokens]
    .filter((limit) => limit !== undefined);
  need(limits.length <= 1, "max_tokens: given twice");
  need(limits.every(isCount), "max_completion_tokens: must be at least 1");
  checkTools({ tools: body.tools, choice: body.tool_choice }, (tool) => {
    const made = tool.function;
    need(
      tool.type === "function" && isObject(made),
      "tools: type must be function",
    );
    return { name: made.name, schema: made.parameters, strict: made.strict };
  }, { ...options, style });
  const calls = new Calls(/^\S.{0,63}$/);
  let previous: unknown;
  for (const [i, message] of objects(body.messages, "messages").entries()) {
    const { role, content } = message;
    const at = `messages[${i}]`;
    if (role !== "tool") calls.close(at);
    switch (role) {
      case "system":
      case "developer":
        need(i === 0, `${at}: ${role} must be first`);
        need(isText(content), `${at}: content must not be empty`);
        break;
      case "user":
        if (typeof content === "string") {
          need(isText(content), `${at}: content must not be empty`);
        } else checkParts(content, { at, text: "text", image: "image_url" });
        break;
      case "assistant":
        checkAssistant(message, { at, calls });
        break;
      case "tool":
        calls.answer(message.tool_call_id, at);
        need(typeof content === "string", `${at}: content must be a string`);
        break;
      default:
        need(false, `${at}: unknown role ${role}`);
    }
    need(
      options.strictAlternation === false || role !== previous ||
        role === "tool",
      `${at}: two ${role} messages in a row`,
    );
    previous = role;
  }
  calls.close("messages");
}

function checkAssistant(
  { content, tool_calls }: Json,
  { at, calls }: { at: string; calls: Calls },
): void {
  need(
    isText(content) || (content === null && tool_calls !== undefined),
    `${at}: empty assistant message`,
  );
  if (tool_calls === undefined) return;
  for (const call of objects(tool_calls, `${at}: tool_calls`)) {
    const { id, function: made } = call;
    need(
      call.type === "function" && isObject(made),
      `${at}: tool call of unknown shape`,
    );
    calls.add({ id, name: made.name, args: parse(made.arguments) }, at);
  }
}

function checkParts(
  parts: unknown,
  { at, text, image }: { at: string; text: string; image: string },
): void {
  for (const part of objects(parts, `${at}: content`)) {
    if (part.type === text) need(isText(part.text), `${at}: empty text part`);
    else {
      need(part.type === image, `${at}: part of unknown type`);
      const { image_url: url } = part;
      checkDataUrl(isObject(url) ? url.url : url, at);
    }
  }
}

/** Refuses a request in the responses format that a server without stored responses would refuse. */
export function checkResponses(body: Json, options: FaultOptions): void {
  const { max_output_tokens: limit, reasoning, include } = body;
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
  checkTools({ tools: body.tools, choice: body.tool_choice }, (tool) => {
    need(tool.type === "function", "tools: type must be function");
    need(typeof tool.strict === "boolean", "tools: strict is missing");
    return { name: tool.name, schema: tool.parameters, strict: tool.strict };
  }, { ...options, style });
  const calls = new Calls(/^[a-zA-Z0-9_-]{1,64}$/);
  const input = objects(body.input, "input");
  for (const [i, item] of input.entries()) {
    checkItem(item, { at: `input[${i}]`, calls, next: input[i + 1] });
  }
  calls.close("input");
}

function checkItem(
  item: Json,
  { at, calls, next }: { at: string; calls: Calls; next: Json | undefined },
): void {
  switch (item.type ?? "message") {
    case "message":
      if (item.role === "assistant") {
        need(isText(item.content), `${at}: content must not be empty`);
        break;
      }
      calls.close(at);
      need(item.role === "user", `${at}: unknown role ${item.role}`);
      checkParts(item.content, {
        at,
        text: "input_text",
        image: "input_image",
      });
      break;
    case "reasoning":
      need(isText(item.id), `${at}: id is missing`);
      need(Array.isArray(item.summary), `${at}: summary is missing`);
      need(isText(item.encrypted_content), `${at}: item is not stored`);
      need(
        next && next.type !== "function_call_output" && next.role !== "user",
        `${at}: reasoning without its required following item`,
      );
      break;
    case "function_call": {
      const { call_id: id, name } = item;
      need(item.id === undefined, `${at}: item is not stored`);
      calls.add({ id, name, args: parse(item.arguments) }, at);
      break;
    }
    case "function_call_output":
      calls.answer(item.call_id, at);
      if (typeof item.output === "string") {
        need(isText(item.output), `${at}: output must not be empty`);
      } else {
        checkParts(item.output, {
          at,
          text: "input_text",
          image: "input_image",
        });
      }
      break;
    default:
      need(false, `${at}: unknown type ${item.type}`);
  }
}
