import assert from "node:assert/strict";
import type { AgentMessage } from "../../src/agent/agent_message.ts";
import type { UserContent } from "../../src/model/content.ts";

/**
 * Compares messages with a transcript: one line a text, thought, call or
 * result, the role in a column of ten, newlines of a text written as `⏎`.
 *
 * A message that ended as `error`, `aborted` or `length` has a last line that
 * says so; a system message lists the tools it adds and removes; a message of
 * any other role is shown as JSON.
 */
export function assertTranscript(
  messages: readonly AgentMessage[],
  expected: string,
): void {
  const want = expected.trim().split("\n").map((line) => line.trim());
  assert.deepEqual(messages.flatMap(linesOf), want);
}

function linesOf(message: AgentMessage): string[] {
  switch (message.role) {
    case "system": {
      const changes = [
        ...(message.toolsAdded ?? []).map(({ name }) => `+${name}`),
        ...(message.toolsRemoved ?? []).map(({ name }) => `-${name}`),
      ];
      return line(
        "system",
        [...textsOf(message.content), ...changes].join(" "),
      );
    }
    case "user":
      return textsOf(message.content).flatMap((text) => line("user", text));
    case "toolResult": {
      const role = message.isError ? "error" : "result";
      const texts = textsOf(message.content);
      return (texts.length > 0 ? texts : [""]).flatMap((text) =>
        line(role, text)
      );
    }
    case "assistant": {
      const lines = message.content.flatMap((block) => {
        switch (block.type) {
          case "text":
            return line("assistant", block.text);
          case "thinking":
            return line("thinking", block.thinking);
          case "toolCall":
            return line(
              "call",
              `${block.name} ${JSON.stringify(block.arguments)}`,
            );
        }
      });
      const { stopReason, errorMessage = "" } = message;
      const isWhole = stopReason === "stop" || stopReason === "toolUse";
      return isWhole ? lines : [...lines, ...line(stopReason, errorMessage)];
    }
    default: {
      const { role, ...rest } = message as { role: string };
      return line(role, JSON.stringify(rest));
    }
  }
}

function textsOf(content: string | UserContent[]): string[] {
  if (typeof content === "string") return content === "" ? [] : [content];
  return content.map((block) =>
    block.type === "text" ? block.text : `[${block.mimeType}]`
  );
}

function line(role: string, text: string): string[] {
  return [`${role.padEnd(10)} ${text.replaceAll("\n", "⏎")}`.trimEnd()];
}
