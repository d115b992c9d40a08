import type { AgentMessage } from "../agent/agent_message.ts";
import { replaySystemMessages } from "../agent/request_messages.ts";
import {
  type SystemMessage,
  textOf,
  type ToolResultMessage,
} from "../model/message.ts";

/** Result of a call that a run left without one. */
const INTERRUPTED =
  "Interrupted: the run ended while this call was open. It may have run, in part or to its end; look before you repeat it.";

/**
 * Returns the messages before the prompt of a run: results for calls that an
 * earlier run left open, and what is new in the system prompt.
 */
export function openingMessages(
  transcript: readonly AgentMessage[],
  systemPrompt: SystemMessage,
): AgentMessage[] {
  const change = promptChange(transcript, systemPrompt);
  return [
    ...interruptedResults(transcript),
    ...(change ? [change] : []),
  ];
}

/** One error result for each call of the last answer that has none. */
function interruptedResults(
  transcript: readonly AgentMessage[],
): ToolResultMessage[] {
  const at = transcript.findLastIndex(({ role }) => role === "assistant");
  const answer = transcript[at];
  if (answer?.role !== "assistant") return [];
  const { stopReason, content } = answer;
  if (stopReason === "error" || stopReason === "aborted") return [];
  const answered = new Set<string>();
  for (const message of transcript.slice(at + 1)) {
    if (message.role === "toolResult") answered.add(message.toolCallId);
  }
  return content.flatMap((block): ToolResultMessage[] =>
    block.type !== "toolCall" || answered.has(block.id) ? [] : [{
      role: "toolResult",
      toolCallId: block.id,
      toolName: block.name,
      content: [{ type: "text", text: INTERRUPTED }],
      isError: true,
      timestamp: Date.now(),
    }]
  );
}

/** The message after which the transcript's prompt is `prompt`; undefined where it is that already. */
export function promptChange(
  transcript: readonly AgentMessage[],
  prompt: SystemMessage,
): SystemMessage | undefined {
  const said = transcript.filter((message): message is SystemMessage =>
    message.role === "system"
  );
  if (said.length === 0) return prompt;
  const { content, sections } = replaySystemMessages(said);
  const changed: Record<string, string | null> = {};
  for (const [name, text] of Object.entries(prompt.sections ?? {})) {
    if (text !== null && sections.get(name) !== text) changed[name] = text;
  }
  for (const name of sections.keys()) {
    if (typeof prompt.sections?.[name] !== "string") changed[name] = null;
  }
  // Contents add up and cannot be taken back.
  const isSaid = content.includes(textOf(prompt.content));
  if (isSaid && Object.keys(changed).length === 0) return undefined;
  return {
    ...prompt,
    content: isSaid ? "" : prompt.content,
    sections: changed,
  };
}
