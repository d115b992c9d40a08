import type { Message } from "../model/message.ts";
import type { AssistantMessageEvent } from "../model/stream.ts";
import type { ToolDeniedEvent } from "../protocol/documented_events.ts";
import type { MessageStep, RunEvent } from "../protocol/event_schemas.ts";
import type { SessionEvent } from "../session/session_event.ts";

/** An event of a session without what earlier events already said. */
export function toRunEvent(
  event: SessionEvent | ToolDeniedEvent,
  /** Lines that its tool made of a call or a result. */
  rendered: string[] | undefined,
  numberOf: (message: Message) => number | undefined = () => undefined,
): RunEvent {
  switch (event.type) {
    case "message_update":
      return {
        type: "message_update",
        assistantMessageEvent: toMessageStep(event.assistantMessageEvent),
      };
    case "tool_execution_start":
      return withLines(event, rendered);
    case "tool_execution_end":
      return withLines(event, rendered);
    case "compaction_end": {
      const { result, ...end } = event;
      if (!result) return end;
      // A message that is not stored: nothing is taken away there.
      const firstKept = numberOf(result.firstKept) ?? 0;
      return { ...end, result: { ...result, firstKept } };
    }
    case "turn_end":
      return { type: "turn_end" };
    case "agent_end":
      return event.aborted
        ? { type: "agent_end", aborted: true }
        : { type: "agent_end" };
    default:
      // A product has no messages but those that the protocol knows.
      return event as RunEvent;
  }
}

function withLines<Event extends object>(
  event: Event,
  rendered: string[] | undefined,
): Event & { rendered?: string[] } {
  return rendered ? { ...event, rendered } : event;
}

function toMessageStep(event: AssistantMessageEvent): MessageStep {
  switch (event.type) {
    case "toolcall_start": {
      const block = event.partial.content[event.contentIndex];
      const { id, name } = block as { id: string; name: string };
      const { contentIndex } = event;
      return { type: "toolcall_start", contentIndex, id, toolName: name };
    }
    case "toolcall_end": {
      const { contentIndex, toolCall } = event;
      return { type: "toolcall_end", contentIndex, toolCall };
    }
    case "text_delta":
    case "thinking_delta":
    case "toolcall_delta": {
      const { type, contentIndex, delta } = event;
      return { type, contentIndex, delta };
    }
    case "text_start":
    case "text_end":
    case "thinking_start":
    case "thinking_end":
      return { type: event.type, contentIndex: event.contentIndex };
    case "start":
    case "done":
    case "error":
      // The loop announces these as message_start and message_end.
      throw new Error(`${event.type} is not an update of a message`);
  }
}
