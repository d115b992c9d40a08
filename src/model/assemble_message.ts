import type { ToolCall } from "./content.ts";
import { EventStream } from "./event_stream.ts";
import { type AssistantMessage, emptyUsage } from "./message.ts";
import type { Model } from "./model.ts";
import type {
  AssistantDelta,
  AssistantMessageEvent,
  AssistantMessageEventStream,
} from "./stream.ts";
import { ToolCallArgumentsStream } from "./tool_call_arguments.ts";
import { withoutUndefined } from "./without_undefined.ts";

/**
 * Builds the message of one response from its deltas, and the events that tell
 * of its growth.
 *
 * Where the deltas end without `done` or `error`, or the source throws, the
 * last event is an `error` of kind `stream_cut`; calls whose end was not
 * announced are dropped from an incomplete message, so that no half call is
 * ever stored.
 */
export function assembleMessage(
  model: Model,
  deltas: AsyncIterable<AssistantDelta[]>,
): AssistantMessageEventStream {
  const stream: AssistantMessageEventStream = new EventStream();
  const assembler = new MessageAssembler(model);
  (async () => {
    try {
      for await (const batch of deltas) {
        for (const delta of batch) {
          for (const event of assembler.add(delta)) stream.push(event);
          if (assembler.final) return;
        }
      }
      stream.push(assembler.cut());
    } catch (error) {
      stream.push(assembler.cut(error));
    }
  })().finally(() => stream.end(assembler.final as AssistantMessage));
  return stream;
}

/** Reduces deltas to immutable snapshots of a message. */
class MessageAssembler {
  /** The message once it has ended. */
  final: AssistantMessage | undefined;
  #message: AssistantMessage;
  #started = false;
  #startMs = performance.now();
  /** Argument parsers of the calls that have not ended, by content index. */
  #open = new Map<number, ToolCallArgumentsStream>();

  constructor(model: Model) {
    this.#message = {
      role: "assistant",
      content: [],
      api: model.api,
      provider: model.provider,
      model: model.id,
      usage: emptyUsage(),
      stopReason: "pending",
      timestamp: Date.now(),
    };
  }

  *add(delta: AssistantDelta): Iterable<AssistantMessageEvent> {
    if (!this.#started && delta.type !== "error") {
      this.#started = true;
      if (delta.type === "start") this.#identify(delta);
      yield { type: "start", partial: this.#message };
    }
    if (delta.type === "start") return;
    if (delta.type === "done") yield this.#done(delta);
    else if (delta.type === "error") yield this.#error(delta);
    else yield this.#grow(delta);
  }

  /** Ends a message whose stream ended without saying so. */
  cut(cause?: unknown): AssistantMessageEvent {
    const why = cause === undefined
      ? "the response ended before it was complete"
      : cause instanceof Error
      ? cause.message
      : String(cause);
    return this.#error({
      type: "error",
      reason: "error",
      errorMessage: `Stream cut: ${why}`,
      errorKind: "stream_cut",
    });
  }

  #identify(delta: { responseId?: string; responseModel?: string }): void {
    const { responseId, responseModel } = delta;
    const isOther = responseModel !== this.#message.model;
    this.#message = {
      ...this.#message,
      ...withoutUndefined({
        responseId,
        responseModel: isOther ? responseModel : undefined,
      }),
    };
  }

  #grow(
    delta: Exclude<AssistantDelta, { type: "start" | "done" | "error" }>,
  ): AssistantMessageEvent {
    const { contentIndex } = delta;
    switch (delta.type) {
      case "text_start":
        return this.#put(delta, { type: "text", text: "" });
      case "thinking_start":
        return this.#put(delta, {
          type: "thinking",
          thinking: "",
          ...(delta.redacted ? { redacted: true } : {}),
        });
      case "toolcall_start":
        this.#open.set(contentIndex, new ToolCallArgumentsStream());
        return this.#put(delta, {
          type: "toolCall",
          id: delta.id,
          name: delta.toolName,
          arguments: {},
        });
      case "text_delta": {
        const block = this.#block(contentIndex, "text");
        return this.#put(delta, { ...block, text: block.text + delta.delta });
      }
      case "thinking_delta": {
        const block = this.#block(contentIndex, "thinking");
        const thinking = block.thinking + delta.delta;
        return this.#put(delta, { ...block, thinking });
      }
      case "toolcall_delta": {
        const block = this.#block(contentIndex, "toolCall");
        const args = this.#parser(contentIndex).append(delta.delta);
        return this.#put(delta, { ...block, arguments: args });
      }
      case "text_end": {
        const block = this.#block(contentIndex, "text");
        const textSignature = delta.contentSignature;
        return this.#put(
          { type: "text_end", contentIndex, content: block.text },
          withoutUndefined({ ...block, textSignature }),
        );
      }
      case "thinking_end": {
        const block = this.#block(contentIndex, "thinking");
        const thinkingSignature = delta.contentSignature;
        return this.#put(
          { type: "thinking_end", contentIndex, content: block.thinking },
          withoutUndefined({ ...block, thinkingSignature }),
        );
      }
      case "toolcall_end": {
        const toolCall: ToolCall = withoutUndefined({
          ...this.#block(contentIndex, "toolCall"),
          ...this.#parser(contentIndex).finish(),
          thoughtSignature: delta.thoughtSignature,
        });
        this.#open.delete(contentIndex);
        return this.#put(
          { type: "toolcall_end", contentIndex, toolCall },
          toolCall,
        );
      }
    }
  }

  #done(
    delta: Extract<AssistantDelta, { type: "done" }>,
  ): AssistantMessageEvent {
    if (this.#open.size > 0) {
      return this.#error({
        type: "error",
        reason: "error",
        errorMessage: "Stream cut: a tool call was announced but not completed",
        errorKind: "stream_cut",
        usage: delta.usage,
      });
    }
    this.#identify(delta);
    const { usage, reason: stopReason, rawStopReason } = delta;
    const message = this.#finish({ usage, stopReason, rawStopReason });
    return { type: "done", reason: delta.reason, message };
  }

  #error(
    delta: Extract<AssistantDelta, { type: "error" }>,
  ): AssistantMessageEvent {
    const content = this.#message.content.filter((_, i) => !this.#open.has(i));
    const { reason, errorMessage, errorKind, retryAfterMs, usage } = delta;
    const error = this.#finish({
      content,
      stopReason: reason,
      errorMessage,
      errorKind,
      retryAfterMs,
      usage,
    });
    return { type: "error", reason, error };
  }

  #finish(
    fields: {
      [Name in keyof AssistantMessage]?: AssistantMessage[Name] | undefined;
    },
  ): AssistantMessage {
    const durationMs = Math.round(performance.now() - this.#startMs);
    const known: Partial<AssistantMessage> = withoutUndefined(fields);
    return this.final = { ...this.#message, ...known, durationMs };
  }

  /** Replaces a block in a new snapshot and returns the event that shows it. */
  #put<const Event extends { contentIndex: number }>(
    event: Event,
    block: AssistantMessage["content"][number],
  ): Event & { partial: AssistantMessage } {
    const content = this.#message.content.slice();
    if (event.contentIndex > content.length || event.contentIndex < 0) {
      throw new Error(`block ${event.contentIndex} starts out of order`);
    }
    content[event.contentIndex] = block;
    this.#message = { ...this.#message, content };
    return { ...event, partial: this.#message };
  }

  #block<Type extends AssistantMessage["content"][number]["type"]>(
    contentIndex: number,
    type: Type,
  ): Extract<AssistantMessage["content"][number], { type: Type }> {
    const block = this.#message.content[contentIndex];
    if (block?.type !== type) {
      throw new Error(`block ${contentIndex} is not a ${type} block`);
    }
    return block as Extract<
      AssistantMessage["content"][number],
      { type: Type }
    >;
  }

  #parser(contentIndex: number): ToolCallArgumentsStream {
    const parser = this.#open.get(contentIndex);
    if (!parser) throw new Error(`tool call ${contentIndex} has ended`);
    return parser;
  }
}
