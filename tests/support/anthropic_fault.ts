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

/** Refuses a request in Anthropic's format that the provider would refuse. */
export function checkAnthropic(body: Json, options: FaultOptions): void {
  const { max_tokens: limit, thinking } = body;
  need(isCount(limit), "max_tokens: must be at least 1");
  if (isObject(thinking) && thinking.type === "enabled") {
    const budget = thinking.budget_tokens as number;
    need(budget >= 1024, "thinking.budget_tokens: must be at least 1024");
    need(
      budget < (limit as number),
      "thinking.budget_tokens: must be less than max_tokens",
    );
    need(
      body.temperature === undefined,
      "temperature: not allowed with thinking",
    );
  }
  if (body.system !== undefined) {
    for (const block of objects(body.system, "system")) {
      need(isText(block.text), "system: empty text block");
    }
  }
  checkTools({ tools: body.tools, choice: body.tool_choice }, (tool) => {
    const { name, strict, input_schema: schema } = tool;
    return { name, schema, strict };
  }, { ...options, style: "anthropic" });
  const marks = JSON.stringify(body).split('"cache_control":{').length - 1;
  need(marks <= 4, `cache_control: ${marks} blocks, at most 4 are allowed`);
  const calls = new Calls(/^[a-zA-Z0-9_-]{1,64}$/);
  const messages = objects(body.messages, "messages");
  for (const [i, { role, content }] of messages.entries()) {
    const at = `messages[${i}]`;
    need(
      role === (i % 2 === 0 ? "user" : "assistant"),
      `${at}: roles must alternate, beginning with user; this is ${role}`,
    );
    const blocks = objects(content, `${at}: content`);
    if (role === "user") checkUserBlocks(blocks, { at, calls });
    else for (const block of blocks) checkAnswerBlock(block, { at, calls });
  }
  calls.close("messages");
  const last = (messages.at(-1)?.content as Json[]).at(-1)?.text;
  need(
    messages.length % 2 === 1 || typeof last !== "string" ||
      last === last.trimEnd(),
    "final assistant content cannot end with trailing whitespace",
  );
}

function checkUserBlocks(
  blocks: Json[],
  { at, calls }: { at: string; calls: Calls },
): void {
  let seenOther = false;
  for (const block of blocks) {
    if (block.type !== "tool_result") {
      seenOther = true;
      checkBlock(block, at);
      continue;
    }
    need(!seenOther, `${at}: tool_result blocks must come first`);
    calls.answer(block.tool_use_id, at);
    if (isText(block.content)) continue;
    for (const part of objects(block.content, `${at}: tool_result`)) {
      checkBlock(part, at);
    }
  }
  calls.close(at);
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

function checkAnswerBlock(
  block: Json,
  { at, calls }: { at: string; calls: Calls },
): void {
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
    case "tool_use":
      calls.add({ id: block.id, name: block.name, args: block.input }, at);
      break;
    default:
      need(false, `${at}: block of unknown type ${block.type}`);
  }
}
