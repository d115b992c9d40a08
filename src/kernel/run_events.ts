import type { AgentToolResult } from "../agent/agent_tool.ts";
import type { JsonObject } from "../model/content.ts";
import type { Message } from "../model/message.ts";
import type { AssistantMessageEvent } from "../model/stream.ts";
import type { MessageStep, RunEvent } from "../protocol/event_schemas.ts";
import { plainTheme, terminalTheme, type Theme } from "../sdk/theme.ts";
import type { AnyToolDefinition } from "../sdk/tool_definition.ts";
import type { SessionEvent } from "../session/session_event.ts";

/** Lines that tools make of their calls and results. */
export interface ToolRenderers {
  call(toolName: string, args: JsonObject): string[] | undefined;
  result(toolName: string, result: AgentToolResult): string[] | undefined;
}

/** Renderers of tools, found by their names, for a terminal. A renderer that throws renders nothing. */
export function toolRenderers(
  find: (name: string) => AnyToolDefinition | undefined,
  { cwd, width, color }: { cwd: string; width: number; color: boolean },
): ToolRenderers {
  const theme: Theme = color ? terminalTheme : plainTheme;
  const context = { cwd, width };
  return {
    call: (name, args) =>
      attempt(() => find(name)?.renderCall?.(args, theme, context)),
    result: (name, result) =>
      attempt(() =>
        find(name)?.renderResult?.(
          result,
          { expanded: false, isPartial: false },
          theme,
          context,
        )
      ),
  };
}

function attempt<Value>(render: () => Value): Value | undefined {
  try {
    return render();
  } catch {
    // A call whose arguments fit no schema is still shown, by its name.
    return undefined;
  }
}

/** An event of a session without what earlier events already said. */
export function toRunEvent(
  event: SessionEvent,
  renderers: ToolRenderers | undefined,
  numberOf: (message: Message) => number | undefined = () => undefined,
): RunEvent {
  switch (event.type) {
    case "message_update":
      return {
        type: "message_update",
        assistantMessageEvent: toMessageStep(event.assistantMessageEvent),
      };
    case "tool_execution_start":
      return withLines(event, renderers?.call(event.toolName, event.args));
    case "tool_execution_end":
      return withLines(event, renderers?.result(event.toolName, event.result));
    case "compaction_end": {
      const { result, ...end } = event;
      if (!result) return end;
      // A message that the host does not know: nothing is taken away there.
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
