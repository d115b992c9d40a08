import type { AgentMessage } from "../agent/agent_message.ts";
import type { AgentToolResult } from "../agent/agent_tool.ts";
import type {
  AfterToolCallContext,
  AfterToolCallResult,
  BeforeToolCallContext,
  BeforeToolCallResult,
} from "../agent/loop_config.ts";
import type { ImageContent, ToolCall, UserContent } from "../model/content.ts";
import { type Message, textOf, type UserMessage } from "../model/message.ts";
import type { PluginHooks } from "../plugin_host/plugin_hooks.ts";
import type { PluginMessage } from "../sdk/plugin_events.ts";
import type { SessionEvent } from "../session/session_event.ts";
import type {
  ProgressEvent,
  RunOpening,
  SessionHooks,
} from "../session/session_hooks.ts";

/** Facts about calls that the hooks need. */
export interface CallParents {
  /** The call that made a call; undefined where the model did. */
  parentOf(call: ToolCall): string | undefined;
}

/** The plugins of a session as its hooks. An event that no plugin hears costs a look. */
export class PluginSessionHooks implements SessionHooks {
  readonly #plugins: PluginHooks;
  readonly #parents: CallParents;
  #turnIndex = -1;

  constructor(plugins: PluginHooks, parents: CallParents) {
    this.#plugins = plugins;
    this.#parents = parents;
  }

  async beforeRun(
    said: readonly AgentMessage[],
    systemPrompt: string,
  ): Promise<RunOpening> {
    if (!this.#plugins.has("before_agent_start")) {
      return { messages: [], systemPrompt: undefined };
    }
    const prompt = said.findLast((message): message is UserMessage =>
      message.role === "user"
    );
    const start = await this.#plugins.beforeAgentStart({
      ...textAndImages(prompt?.content ?? ""),
      systemPrompt,
    });
    return { ...start, messages: start.messages.map(pluginMessage) };
  }

  get context(): SessionHooks["context"] {
    return this.#plugins.has("context")
      ? (messages: Message[]) => this.#plugins.context(messages)
      : undefined;
  }

  get completeMessage(): SessionHooks["completeMessage"] {
    return this.#plugins.has("message_end")
      ? (message: AgentMessage) => this.#plugins.messageEnd(message)
      : undefined;
  }

  readonly beforeToolCall = async (
    { toolCall, args }: BeforeToolCallContext,
  ): Promise<BeforeToolCallResult | undefined> => {
    if (!this.#plugins.has("tool_call")) return undefined;
    const decision = await this.#plugins.toolCall({
      ...this.#callFacts(toolCall),
      input: { ...args },
    });
    if (decision.block) return decision;
    const { input, changedBy } = decision;
    if (changedBy.length === 0) return undefined;
    const names = changedBy.map((name) => `"${name}"`).join(", ");
    return {
      args: input,
      changedBy: changedBy.length === 1
        ? `The plugin ${names}`
        : `The plugins ${names}`,
    };
  };

  readonly afterToolCall = async (
    { toolCall, args, result, isError }: AfterToolCallContext,
  ): Promise<AfterToolCallResult | undefined> => {
    if (!this.#plugins.has("tool_result")) return undefined;
    const seen = await this.#plugins.toolResult(
      { ...this.#callFacts(toolCall), input: { ...args }, partial: false },
      { result, isError },
    );
    if (seen.result === result && seen.isError === isError) return undefined;
    const { content, details, structuredContent, usage } = seen.result;
    return {
      ...(seen.isReplaced ? { content } : {}),
      ...(details === undefined ? {} : { details }),
      ...(structuredContent === undefined ? {} : { structuredContent }),
      ...(usage === undefined ? {} : { usage }),
      isError: seen.isError,
    };
  };

  async progress(
    { toolCallId, toolName, args, partialResult }: ProgressEvent,
  ): Promise<AgentToolResult> {
    if (!this.#plugins.has("tool_result")) return partialResult;
    const { result } = await this.#plugins.toolResult(
      { toolCallId, toolName, input: args, partial: true },
      { result: partialResult, isError: false },
    );
    return result;
  }

  hear(event: SessionEvent): void | Promise<void> {
    switch (event.type) {
      case "agent_start":
        this.#turnIndex = -1;
        return this.#tell(event.type, () => event);
      case "turn_start":
        this.#turnIndex++;
        return this.#tell(event.type, () => ({
          ...event,
          turnIndex: this.#turnIndex,
          timestamp: Date.now(),
        }));
      case "turn_end":
        return this.#tell(event.type, () => ({
          ...event,
          turnIndex: this.#turnIndex,
        }));
      case "agent_end":
        return this.#tell(event.type, () => ({
          ...event,
          aborted: event.aborted === true,
        }));
      case "tool_execution_end":
        return this.#tell(event.type, () => {
          const { durationMs: _, ...told } = event;
          return told;
        });
      case "message_start":
      case "message_update":
      case "tool_execution_start":
      case "tool_execution_update":
        return this.#tell(event.type, () => event);
      // Its handlers were asked before it was stored.
      case "message_end":
        return;
    }
  }

  async beforeCompact(
    compaction: Parameters<SessionHooks["beforeCompact"]>[0],
  ): Promise<{ cancel: boolean; summary: string | undefined }> {
    return await this.#plugins.beforeCompact(compaction);
  }

  /** Tells of what a compaction came to. */
  async compacted(event: SessionEvent): Promise<void> {
    if (event.type !== "compaction_end") return;
    const { reason, result, aborted, errorMessage } = event;
    if (result) {
      const { summary, tokensBefore } = result;
      await this.#plugins.notify({
        type: "session_compact",
        reason,
        summary,
        tokensBefore,
      });
    } else {
      await this.#plugins.notify({
        type: "session_compact_failed",
        reason,
        aborted,
        ...(errorMessage === undefined ? {} : { errorMessage }),
      });
    }
  }

  #tell(
    type: Parameters<PluginHooks["has"]>[0],
    event: () => Parameters<PluginHooks["notify"]>[0],
  ): void | Promise<void> {
    if (this.#plugins.has(type)) return this.#plugins.notify(event());
  }

  #callFacts(
    toolCall: ToolCall,
  ): { toolName: string; toolCallId: string; parentToolCallId?: string } {
    const { name: toolName, id: toolCallId } = toolCall;
    const parentToolCallId = this.#parents.parentOf(toolCall);
    return {
      toolName,
      toolCallId,
      ...(parentToolCallId === undefined ? {} : { parentToolCallId }),
    };
  }
}

/** Makes a message to the model of a plugin's message. */
export function pluginMessage(
  { customType, content, display = true, details }: PluginMessage,
): UserMessage {
  return {
    role: "user",
    origin: {
      kind: "custom",
      customType,
      display,
      ...(details === undefined ? {} : { details }),
    },
    content,
    timestamp: Date.now(),
  };
}

/** The parts of what the user said. */
export function textAndImages(
  content: string | UserContent[],
): { prompt: string; images: ImageContent[] } {
  return typeof content === "string" ? { prompt: content, images: [] } : {
    prompt: textOf(content),
    images: content.filter((block) => block.type === "image"),
  };
}
