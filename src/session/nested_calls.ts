import type { AgentTool, AgentToolResult } from "../agent/agent_tool.ts";
import type { ToolCallHooks } from "../agent/loop_config.ts";
import { runToolCall } from "../agent/tool_call.ts";
import type { ToolCall } from "../model/content.ts";
import { type AssistantMessage, emptyUsage } from "../model/message.ts";
import type { Model } from "../model/model.ts";
import type { NestedCall } from "./tool_server.ts";

/** Calls that one call may make. */
const MAX_CALLS = 256;
/** A call that calls that calls. */
const MAX_DEPTH = 8;

/** Calls that tools make of other tools, through the same steps as those of the model. */
export class NestedCalls {
  readonly #hooks: () => ToolCallHooks;
  readonly #counts = new Map<string, number>();
  readonly #parents = new WeakMap<ToolCall, string>();

  constructor(hooks: () => ToolCallHooks) {
    this.#hooks = hooks;
  }

  /** The call that made a call; undefined where the model did. */
  parentOf(call: ToolCall): string | undefined {
    return this.#parents.get(call);
  }

  /** Resolves however the call comes out. Rejects when there are too many. */
  async run(
    { parentToolCallId, toolName, args, signal, onUpdate }: NestedCall,
    { tools, model }: { tools: readonly AgentTool[]; model: Model },
  ): Promise<AgentToolResult> {
    const n = (this.#counts.get(parentToolCallId) ?? 0) + 1;
    this.#counts.set(parentToolCallId, n);
    if (n > MAX_CALLS || parentToolCallId.split("/").length > MAX_DEPTH) {
      throw new RangeError(
        `A call may make ${MAX_CALLS} others, ${MAX_DEPTH} levels deep`,
      );
    }
    const toolCall: ToolCall = {
      type: "toolCall",
      id: `${parentToolCallId}/${n}`,
      name: toolName,
      arguments: structuredClone(args),
    };
    this.#parents.set(toolCall, parentToolCallId);
    const { result, isError } = await runToolCall(toolCall, {
      ...this.#hooks(),
      tools,
      assistantMessage: callingMessage(toolCall, model),
      context: { messages: [], tools },
      ...(signal ? { signal } : {}),
      ...(onUpdate ? { onUpdate } : {}),
    });
    return isError ? { ...result, isError } : result;
  }
}

/** Stands for the message of a model in which the call might be. */
function callingMessage(toolCall: ToolCall, model: Model): AssistantMessage {
  return {
    role: "assistant",
    content: [toolCall],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: emptyUsage(),
    stopReason: "toolUse",
    timestamp: Date.now(),
  };
}
