import type { Message } from "../model/message.ts";
import type { SessionEntry } from "../session/session_entry.ts";
import type { StoredSession } from "../store/read_session.ts";

type Block = Exclude<Message["content"], string>[number];

/** Lines of a tool's output that are shown where not all is wanted. */
const SHOWN_LINES = 12;

/**
 * A session to be read by people: what was said, called and answered, in the
 * order in which it was stored. `isWhole` leaves nothing out but the bytes of
 * images and the system prompt.
 */
export function sessionMarkdown(
  { header, entries }: StoredSession,
  { isWhole }: { isWhole: boolean },
): string {
  const parts: string[] = [];
  if (header) {
    const { id, cwd, timestamp, parentSession } = header;
    parts.push(
      `# Session ${id}`,
      `${timestamp}, in ${cwd}${
        parentSession === undefined ? "" : `, a fork of ${parentSession}`
      }`,
    );
  }
  for (const entry of entries) parts.push(...entryParts(entry, isWhole));
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function entryParts(entry: SessionEntry, isWhole: boolean): string[] {
  switch (entry.type) {
    case "message":
      return messageParts(entry.message as Message, isWhole);
    case "model_change":
      return [`Model: ${entry.provider}/${entry.modelId}`];
    case "compaction":
    case "branch_summary":
      return ["## Summary", entry.summary];
  }
  return [];
}

function messageParts(message: Message, isWhole: boolean): string[] {
  const { content } = message;
  const blocks: Block[] = typeof content === "string"
    ? [{ type: "text", text: content }]
    : content;
  switch (message.role) {
    case "user":
      return ["## User", ...blocks.map(blockText)];
    case "assistant":
      return [
        "## Assistant",
        ...blocks.map(blockText),
        message.errorMessage === undefined
          ? ""
          : `Error: ${message.errorMessage}`,
      ];
    case "toolResult": {
      const text = blocks.map(blockText).join("\n");
      const title = message.isError ? "Error" : "Result";
      return [
        `${title} of ${message.toolName}:`,
        fenced(isWhole ? text : firstLines(text)),
      ];
    }
  }
  return [];
}

function blockText(block: Block): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
      return `(image, ${block.mimeType})`;
    case "toolCall": {
      const args = JSON.stringify(block.arguments, null, 2);
      return `Call of ${block.name}:\n\n${fenced(args)}`;
    }
  }
  return "";
}

function firstLines(text: string): string {
  const lines = text.split("\n");
  const more = lines.length - SHOWN_LINES;
  if (more <= 0) return text;
  return `${
    lines.slice(0, SHOWN_LINES).join("\n")
  }\n… ${more} more lines; tau sessions export shows all`;
}

/** A fence is longer than any run of backticks inside it. */
function fenced(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const longest = Math.max(2, ...runs.map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
