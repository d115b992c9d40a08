import type { AssistantMessage } from "../model/message.ts";
import type { AssistantMessageEvent } from "../model/stream.ts";
import type { AgentMessage } from "./agent_message.ts";

/**
 * Keeps tool-call ids unique in a transcript: some providers number the calls
 * of each response afresh, or give two calls one id.
 */
export class ToolCallIds {
  #taken = new Set<string>();

  constructor(messages: readonly AgentMessage[]) {
    this.read(messages);
  }

  /** Takes the ids of a transcript. */
  read(messages: readonly AgentMessage[]): void {
    for (const message of messages) {
      if (message.role !== "assistant") continue;
      for (const block of message.content) {
        if (block.type === "toolCall") this.#taken.add(block.id);
      }
    }
  }

  /** Follows one message while it grows and renames those of its calls whose id is taken. */
  track(): { rename(event: AssistantMessageEvent): AssistantMessageEvent } {
    const seen = new Set<number>();
    const renamed = new Map<number, string>();
    const notice = ({ content }: AssistantMessage) => {
      content.forEach((block, index) => {
        if (block.type !== "toolCall" || seen.has(index)) return;
        seen.add(index);
        const id = this.#freeId(block.id);
        if (id !== block.id) renamed.set(index, id);
      });
    };
    return {
      rename(event) {
        if (event.type === "done") notice(event.message);
        else if (event.type === "toolcall_start") notice(event.partial);
        return renamed.size === 0 ? event : renameIn(event, renamed);
      },
    };
  }

  #freeId(wanted: string): string {
    let id = wanted;
    for (let n = 2; this.#taken.has(id); n++) id = `${wanted}_${n}`;
    this.#taken.add(id);
    return id;
  }
}

function renameIn(
  event: AssistantMessageEvent,
  renamed: ReadonlyMap<number, string>,
): AssistantMessageEvent {
  const rename = (message: AssistantMessage): AssistantMessage => ({
    ...message,
    content: message.content.map((block, index) => {
      const id = renamed.get(index);
      return block.type === "toolCall" && id ? { ...block, id } : block;
    }),
  });
  if (event.type === "done") {
    return { ...event, message: rename(event.message) };
  }
  if (event.type === "error") return { ...event, error: rename(event.error) };
  if (event.type === "toolcall_end") {
    const id = renamed.get(event.contentIndex) ?? event.toolCall.id;
    return {
      ...event,
      toolCall: { ...event.toolCall, id },
      partial: rename(event.partial),
    };
  }
  return { ...event, partial: rename(event.partial) };
}
