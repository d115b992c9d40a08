import type { SessionEvent } from "./session_event.ts";

/** How many tool calls of a response an event announces; those of a broken one are not run and do not count. */
export function callsIn(event: SessionEvent): number {
  if (event.type !== "message_end") return 0;
  const { message } = event;
  if (message.role !== "assistant") return 0;
  const { stopReason, content } = message;
  if (stopReason === "error" || stopReason === "aborted") return 0;
  return content.filter(({ type }) => type === "toolCall").length;
}
