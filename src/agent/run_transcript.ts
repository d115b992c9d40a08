import type { AgentMessage } from "./agent_message.ts";
import type { AgentTool } from "./agent_tool.ts";
import type { AgentContext } from "./loop_config.ts";
import { RequestMessages } from "./request_messages.ts";
import { ToolCallIds } from "./tool_call_ids.ts";
import { DeclaredTools, declareToolChanges } from "./tool_declarations.ts";

/**
 * The messages and tools of a run so far, with all that a
 * request needs of them. Each message is read once, so that a turn costs
 * nothing for the messages before it.
 */
export class RunTranscript {
  /** The messages that the run added. */
  readonly added: AgentMessage[] = [];
  /** Ids of the calls in all messages, replaced contexts included. */
  readonly ids: ToolCallIds;
  #context: AgentContext;
  #declared: DeclaredTools;
  #requestMessages: RequestMessages;

  /** Copies the context, which the caller may go on with. */
  constructor(context: AgentContext) {
    this.#context = ownContext(context);
    this.#declared = new DeclaredTools(context.messages);
    this.#requestMessages = new RequestMessages(context.messages);
    this.ids = new ToolCallIds(context.messages);
  }

  /** Its messages grow with the transcript. */
  get context(): AgentContext {
    return this.#context;
  }

  /** Adds a message. */
  store(message: AgentMessage): void {
    this.#context.messages.push(message);
    this.added.push(message);
    this.#declared.read(message);
    this.#requestMessages.read(message);
  }

  /** Goes on from another transcript, which is not changed. */
  replace(context: AgentContext): void {
    if (context.messages === this.#context.messages) {
      return this.useTools(context.tools);
    }
    this.#context = ownContext(context);
    this.#declared = new DeclaredTools(context.messages);
    this.#requestMessages = new RequestMessages(context.messages);
    this.ids.read(context.messages);
  }

  /** Replaces the tools; whatever changes is declared with the next messages. */
  useTools(tools: readonly AgentTool[] | undefined): void {
    const { tools: before, messages } = this.#context;
    const isSame = tools === before ||
      tools?.length === before?.length &&
        tools?.every((tool, i) => tool === before?.[i]);
    if (isSame) return;
    this.#context = tools ? { messages, tools: ownTools(tools) } : { messages };
  }

  /** The messages that come next, with a declaration of tools where one is due. */
  declareTools(pending: AgentMessage[]): AgentMessage[] {
    return declareToolChanges(this.#declared, this.#context.tools, pending);
  }

  /** The messages of a context as a request has them; of its own it has them ready. */
  requestMessages(context: AgentContext): RequestMessages {
    return context === this.#context
      ? this.#requestMessages
      : new RequestMessages(context.messages);
  }
}

function ownContext({ messages, tools }: AgentContext): AgentContext {
  const own = { messages: messages.slice() };
  return tools ? { ...own, tools: ownTools(tools) } : own;
}

/** A copy that the caller does not change; a frozen list is kept, since requests know by its identity that nothing changed. */
function ownTools(tools: readonly AgentTool[]): readonly AgentTool[] {
  return Object.isFrozen(tools) ? tools : tools.slice();
}
