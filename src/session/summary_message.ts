import type { UserMessage } from "../model/message.ts";

/** Makes the message in the place of those that a compaction took away. `timestamp` in milliseconds. */
export function summaryMessage(
  summary: string,
  timestamp: number,
): UserMessage {
  return {
    role: "user",
    content:
      `The conversation history before this point was compacted into the following summary:\n\n<summary>\n${summary}\n</summary>`,
    timestamp,
  };
}
