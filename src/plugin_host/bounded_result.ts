import type { AgentToolResult } from "../agent/agent_tool.ts";
import { ToolError } from "../agent/tool_error.ts";
import type { JsonObject, JsonValue, UserContent } from "../model/content.ts";
import type { Usage } from "../model/message.ts";
import { formatSize } from "../sdk/truncate.ts";

/** UTF-16 units of text in a result; a provider would refuse much more. */
const MAX_TEXT = 256 * 1024;
/** The same for progress, which people see a few lines of. */
const MAX_PROGRESS_TEXT = 16 * 1024;
/** Characters of the base64 of all images. */
const MAX_IMAGES = 16 * 1024 * 1024;
/** Characters of details and of structured content, as JSON. */
const MAX_JSON = 1024 * 1024;
const MAX_PROGRESS_JSON = 64 * 1024;

/** Copies what a plugin's tool returned, as plain data of bounded size. Throws a `ToolError` for what is no result. */
export function boundedResult(
  returned: unknown,
  { isProgress = false } = {},
): AgentToolResult {
  if (typeof returned !== "object" || returned === null) {
    throw new ToolError(
      'The tool returned no result: expected { content: [{ type: "text", text: "…" }] }',
    );
  }
  const given = returned as Record<string, unknown>;
  const maxJson = isProgress ? MAX_PROGRESS_JSON : MAX_JSON;
  const result: AgentToolResult = {
    content: boundedContent(given.content, {
      maxText: isProgress ? MAX_PROGRESS_TEXT : MAX_TEXT,
    }),
  };
  const details = boundedJson(given.details, { what: "details", maxJson });
  if (details !== undefined) result.details = details;
  const structured = boundedJson(given.structuredContent, {
    what: "structuredContent",
    maxJson,
  });
  if (structured !== undefined) result.structuredContent = structured;
  const usage = readUsage(given.usage);
  if (usage !== undefined) result.usage = usage;
  if (given.isError === true) result.isError = true;
  if (given.terminate === true) result.terminate = true;
  if (Array.isArray(given.addedToolNames)) {
    result.addedToolNames = given.addedToolNames
      .filter((name): name is string => typeof name === "string").slice(0, 256);
  }
  return result;
}

/** Tokens and money as plain data. Throws a `ToolError` for what is none. */
export function readUsage(value: unknown): Usage | undefined {
  const usage = boundedJson(value, { what: "usage" });
  if (usage === undefined || usage === null) return undefined;
  const counts = ["input", "output", "cacheRead", "cacheWrite", "totalTokens"];
  const prices = ["input", "output", "cacheRead", "cacheWrite", "total"];
  const { cost, reasoning = 0 } = usage as JsonObject;
  const isRight =
    [...counts, "reasoning"].every((name) =>
      isCount({ reasoning, ...usage as JsonObject }[name])
    ) && prices.every((name) => Number.isFinite((cost as JsonObject)?.[name]));
  if (isRight) return usage as unknown as Usage;
  throw new ToolError(
    `The usage lacks some of ${counts.join(", ")} and cost { ${
      prices.join(", ")
    } }`,
  );
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Content blocks as plain data; text beyond the bound is cut, and says so. Throws a `ToolError` for what is no content. */
export function boundedContent(
  value: unknown,
  { maxText = MAX_TEXT } = {},
): UserContent[] {
  // A tool in JavaScript may have nothing to say.
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    throw new ToolError(
      'The content is not a list of blocks: expected [{ type: "text", text: "…" }]',
    );
  }
  const content: UserContent[] = [];
  let textLeft = maxText;
  let imagesLeft = MAX_IMAGES;
  let cut = 0;
  for (const block of value as unknown[]) {
    const copy = blockOf(block);
    if (copy.type === "image") {
      imagesLeft -= copy.data.length;
      if (imagesLeft < 0) throw new ToolError("The images are too large");
      content.push(copy);
      continue;
    }
    const { text } = copy;
    const kept = text.slice(0, textLeft);
    cut += text.length - kept.length;
    textLeft -= kept.length;
    if (kept !== "" || text === "") content.push({ type: "text", text: kept });
  }
  if (cut > 0) {
    content.push({
      type: "text",
      text: `[Output truncated: ${formatSize(cut)} more than the ${
        formatSize(maxText)
      } that a plugin's tool may return]`,
    });
  }
  return content;
}

function blockOf(block: unknown): UserContent {
  const { type, text, data, mimeType } = (block ?? {}) as Record<
    string,
    unknown
  >;
  if (type === "text" && typeof text === "string") return { type, text };
  const isImage = type === "image" && typeof data === "string" &&
    typeof mimeType === "string";
  if (isImage) return { type, data, mimeType };
  throw new ToolError(
    'The content holds what is neither text nor an image: expected { type: "text", text } or { type: "image", data, mimeType }',
  );
}

/** A value as JSON of bounded size. Throws a `ToolError` for what is none. */
export function boundedJson(
  value: unknown,
  { what, maxJson = MAX_JSON }: { what: string; maxJson?: number },
): JsonValue | undefined {
  if (value === undefined) return undefined;
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (cause) {
    throw new ToolError(`The ${what} cannot be written as JSON`, { cause });
  }
  if (json === undefined) return undefined;
  if (json.length > maxJson) {
    throw new ToolError(
      `The ${what} is larger than ${formatSize(maxJson)}`,
    );
  }
  return JSON.parse(json);
}
