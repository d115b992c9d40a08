import type { AssistantMessage, SystemMessage } from "../model/message.ts";
import type { Model, ThinkingLevel } from "../model/model.ts";
import type { Tool } from "../model/tool.ts";
import type { AgentEvent } from "./agent_event.ts";
import type { AgentMessage } from "./agent_message.ts";
import type { AgentTool } from "./agent_tool.ts";
import {
  renderSystemPrompt,
  replaySystemMessages,
} from "./request_messages.ts";
import { declarationOf, DeclaredTools } from "./tool_declarations.ts";

/** State that an agent starts from. */
export interface InitialAgentState {
  /** Said in a leading system message, unless `messages` begins with one. */
  systemPrompt?: string;
  /** Answers the first run. */
  model: Model;
  /** Default `off`. */
  thinkingLevel?: ThinkingLevel;
  /** Copied. Default none. */
  tools?: AgentTool[];
  /** The conversation so far; copied. Default none. */
  messages?: AgentMessage[];
}

/**
 * State of an agent. It changes with the events of a run, before
 * any listener hears them.
 */
export class AgentState {
  /** Used by the next run. */
  model: Model;
  /** Used by the next run. */
  thinkingLevel: ThinkingLevel;
  /** True from `agent_start` until the listeners of `agent_end` are through. */
  isStreaming = false;
  /** The assistant message that is arriving: a snapshot, replaced as it grows. */
  streamingMessage: AssistantMessage | undefined;
  /** The reason why the last response failed; undefined when it did not. */
  errorMessage: string | undefined;
  #tools: AgentTool[];
  #messages: AgentMessage[];
  readonly #pendingToolCalls = new Set<string>();
  /** Made when somebody asks, since a large batch changes the set often. */
  #pendingSnapshot: ReadonlySet<string> | undefined;

  /** Copies the arrays, not what they hold. */
  constructor(initial: InitialAgentState) {
    this.model = initial.model;
    this.thinkingLevel = initial.thinkingLevel ?? "off";
    this.#tools = initial.tools?.slice() ?? [];
    this.#messages = initial.messages?.slice() ?? [];
    if (this.#messages[0]?.role === "system") return;
    const toolsAdded = this.#tools.map(declarationOf);
    const content = initial.systemPrompt ?? "";
    this.#messages.unshift(...leadingMessage({ content, toolsAdded }));
  }

  /** The prompt that the transcript's system messages add up to. */
  get systemPrompt(): string {
    return renderSystemPrompt(systemMessages(this.#messages));
  }

  /** Ids of the calls that are running: a snapshot. */
  get pendingToolCalls(): ReadonlySet<string> {
    return this.#pendingSnapshot ??= new Set(this.#pendingToolCalls);
  }

  /** The tools of the next run; a run that is going on keeps its own. Assigning copies the array. */
  get tools(): AgentTool[] {
    return this.#tools;
  }

  set tools(tools: AgentTool[]) {
    this.#tools = tools.slice();
  }

  /** The transcript itself: pushing changes it. Assigning copies the array. */
  get messages(): AgentMessage[] {
    return this.#messages;
  }

  set messages(messages: AgentMessage[]) {
    this.#messages = messages.slice();
  }

  /** Takes over what an event says. */
  reduce(event: AgentEvent): void {
    switch (event.type) {
      case "agent_start":
        this.errorMessage = undefined;
        break;
      case "message_start":
      case "message_update":
        if (event.message.role === "assistant") {
          this.streamingMessage = event.message;
        }
        break;
      case "message_end":
        this.#messages.push(event.message);
        this.streamingMessage = undefined;
        break;
      case "tool_execution_start":
        this.#pendingToolCalls.add(event.toolCallId);
        this.#pendingSnapshot = undefined;
        break;
      case "tool_execution_end":
        this.#pendingToolCalls.delete(event.toolCallId);
        this.#pendingSnapshot = undefined;
        break;
      case "turn_end":
        this.errorMessage = event.message.errorMessage;
        break;
      case "agent_end":
        this.streamingMessage = undefined;
        this.#pendingToolCalls.clear();
        this.#pendingSnapshot = undefined;
    }
  }

  /** Leaves one system message that says what all before said; none where they said nothing. */
  reset(): void {
    const { content, sections } = replaySystemMessages(
      systemMessages(this.#messages),
    );
    const toolsAdded = [...new DeclaredTools(this.#messages).values()];
    this.#messages = leadingMessage({ content, sections, toolsAdded });
    this.errorMessage = undefined;
  }
}

function leadingMessage(
  { content, sections, toolsAdded }: {
    content: string;
    sections?: ReadonlyMap<string, string>;
    toolsAdded: Tool[];
  },
): SystemMessage[] {
  const message: SystemMessage = { role: "system", content, timestamp: 0 };
  if (sections?.size) message.sections = Object.fromEntries(sections);
  if (toolsAdded.length > 0) message.toolsAdded = toolsAdded;
  const isEmpty = content === "" && !message.sections && !message.toolsAdded;
  return isEmpty ? [] : [message];
}

function systemMessages(messages: AgentMessage[]): SystemMessage[] {
  return messages.filter((message): message is SystemMessage =>
    message.role === "system"
  );
}
