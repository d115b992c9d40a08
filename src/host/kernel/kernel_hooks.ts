import type { AgentMessage } from "../../agent/agent_message.ts";
import type { AgentToolResult } from "../../agent/agent_tool.ts";
import type {
  AfterToolCallContext,
  AfterToolCallResult,
  BeforeToolCallContext,
  BeforeToolCallResult,
} from "../../agent/loop_config.ts";
import type {
  ImageContent,
  JsonObject,
  ToolCall,
  UserContent,
} from "../../model/content.ts";
import { isGuardedHeader } from "../../model/credential_header.ts";
import { type Message, textOf, type UserMessage } from "../../model/message.ts";
import type { Model } from "../../model/model.ts";
import type {
  AssistantDelta,
  AssistantMessageEvent,
  RequestHooks,
} from "../../model/stream.ts";
import { withoutUndefined } from "../../model/without_undefined.ts";
import type {
  AskPayloads,
  CallFacts,
  NoticeEvent,
} from "../../protocol/kernel_messages.ts";
import type { Answer, AskKind } from "../../protocol/kernel_protocol.ts";
import type { SessionEvent } from "../../session/session_event.ts";
import type {
  ProgressEvent,
  RunOpening,
  SessionHooks,
} from "../../session/session_hooks.ts";
import type { KernelMirror } from "./kernel_mirror.ts";
import { withPinned } from "./pinned_fields.ts";
import { KernelGoneError } from "./kernel_gone_error.ts";
import type { KernelPeer } from "./kernel_peer.ts";

/** Parts of {@linkcode KernelHooks}. */
export interface KernelHooksParts {
  /** True where a plugin listens. */
  has(event: string): boolean;
  /** The kernel to ask, told all that is new. Rejects when there is none. */
  peer(): Promise<KernelPeer>;
  mirror: KernelMirror;
  /** The call that made a call. */
  parentOf(call: ToolCall): string | undefined;
}

/** Characters of steps that handlers have not heard before nothing more is read. */
const MAX_UNHEARD = 1024 * 1024;

/**
 * The plugins of a kernel as the hooks of its session. An event crosses only
 * where a plugin listens. What a kernel answers is judged here; where it dies
 * or fails, everything stays as it was, but guards fail closed.
 */
export class KernelHooks implements SessionHooks {
  readonly #parts: KernelHooksParts;
  readonly #steps: Steps;
  #turnIndex = -1;

  constructor(parts: KernelHooksParts) {
    this.#parts = parts;
    this.#steps = new Steps();
  }

  /** Handlers have heard the steps up to this batch. */
  noteHeard(n: number): void {
    this.#steps.noteHeard(n);
  }

  /** The kernel that had steps to tell of is gone. */
  forgetSteps(): void {
    this.#steps.forget();
  }

  async beforeRun(
    said: readonly AgentMessage[],
    systemPrompt: string,
  ): Promise<RunOpening> {
    if (!this.#parts.has("before_agent_start")) {
      return { messages: [], systemPrompt: undefined };
    }
    const prompt = said.findLast((message): message is UserMessage =>
      message.role === "user"
    );
    const start = await this.#ask("before_agent_start", {
      ...textAndImages(prompt?.content ?? ""),
      systemPrompt,
    });
    return {
      messages: start?.messages.map(pluginMessage) ?? [],
      systemPrompt: start?.systemPrompt,
    };
  }

  get context(): SessionHooks["context"] {
    return this.#parts.has("context")
      ? (messages) => this.#context(messages)
      : undefined;
  }

  get completeMessage(): SessionHooks["completeMessage"] {
    const { has } = this.#parts;
    if (!has("message_end") && !has("message_update")) return undefined;
    return async (message) => {
      await this.#steps.heard();
      return has("message_end") ? await this.#messageEnd(message) : message;
    };
  }

  get beforeToolCall(): SessionHooks["beforeToolCall"] {
    return this.#parts.has("tool_call")
      ? (call, signal) => this.#beforeToolCall(call, signal)
      : undefined;
  }

  get afterToolCall(): SessionHooks["afterToolCall"] {
    return this.#parts.has("tool_result")
      ? (call) => this.#afterToolCall(call)
      : undefined;
  }

  get progress(): SessionHooks["progress"] {
    return this.#parts.has("tool_result")
      ? (event) => this.#progress(event)
      : undefined;
  }

  /** Hooks on a request to the provider; undefined while nobody wants to see any. */
  provider(
    signal: AbortSignal | undefined,
    { api }: Pick<Model, "api">,
  ): RequestHooks | undefined {
    const { has } = this.#parts;
    const hooks: RequestHooks = {};
    if (has("before_provider_request")) {
      hooks.request = async (body) => {
        const changed = (await this.#ask("body", { body }, signal))?.body;
        return changed ? withPinned(changed, body, api) : body;
      };
    }
    if (has("before_provider_headers")) {
      hooks.headers = async (headers) =>
        harmless((await this.#ask("headers", { headers }, signal))?.headers);
    }
    if (has("after_provider_response")) {
      hooks.response = ({ status, headers }) =>
        this.#tell({ type: "after_provider_response", status, headers });
    }
    return Object.keys(hooks).length > 0 ? hooks : undefined;
  }

  hear(event: SessionEvent): void | Promise<void> {
    switch (event.type) {
      case "agent_start":
        this.#turnIndex = -1;
        return this.notify(event.type, () => event);
      case "turn_start":
        this.#turnIndex++;
        return this.notify(event.type, () => ({
          ...event,
          turnIndex: this.#turnIndex,
          timestamp: Date.now(),
        }));
      case "turn_end":
        return this.notify(event.type, () => ({
          type: event.type,
          turnIndex: this.#turnIndex,
          message: this.#parts.mirror.ref(event.message),
          toolResults: event.toolResults.map((one) =>
            this.#parts.mirror.ref(one)
          ),
        }));
      case "agent_end":
        return this.notify(event.type, () => ({
          type: event.type,
          messages: event.messages.map((one) => this.#parts.mirror.ref(one)),
          aborted: event.aborted === true,
        }));
      case "tool_execution_end":
        return this.notify(event.type, () => {
          const { durationMs: _, ...told } = event;
          return told;
        });
      case "message_start": {
        const { message } = event;
        const isGrowing = message.role === "assistant" &&
          this.#parts.has("message_update");
        if (isGrowing) {
          const { responseId, responseModel } = message;
          this.#grow(
            withoutUndefined({ type: "start", responseId, responseModel }),
          );
        }
        return this.notify(event.type, () => event);
      }
      case "message_update":
        return this.#parts.has("message_update")
          ? this.#grow(toDelta(event.assistantMessageEvent))
          : undefined;
      case "tool_execution_start":
      case "tool_execution_update":
        return this.notify(event.type, () => event);
      // Its handlers were asked before it was stored.
      case "message_end":
        return;
    }
  }

  async beforeCompact(
    { messages, ...compaction }: Parameters<SessionHooks["beforeCompact"]>[0],
  ): Promise<{ cancel: boolean; summary: string | undefined }> {
    const { has, mirror } = this.#parts;
    const decision = has("session_before_compact")
      ? await this.#ask("session_before_compact", {
        ...compaction,
        messages: messages.map((message) => mirror.ref(message)),
      })
      : undefined;
    return { cancel: decision?.cancel === true, summary: decision?.summary };
  }

  async compacted(event: SessionEvent): Promise<void> {
    if (event.type !== "compaction_end") return;
    const { reason, result, aborted, errorMessage } = event;
    if (result) {
      const { summary, tokensBefore } = result;
      await this.notify("session_compact", (type) => ({
        type,
        reason,
        summary,
        tokensBefore,
      }));
    } else {
      await this.notify("session_compact_failed", (type) => ({
        type,
        reason,
        aborted,
        ...(errorMessage === undefined ? {} : { errorMessage }),
      }));
    }
  }

  /** Returns what the user said as plugins leave it; undefined when one of them has dealt with it. */
  async input(
    content: string | UserContent[],
    source: AskPayloads["input"]["source"],
  ): Promise<string | UserContent[] | undefined> {
    if (!this.#parts.has("input")) return content;
    const { prompt: text, images } = textAndImages(content);
    const said = await this.#ask("input", { text, images, source });
    if (!said) return content;
    if (said.handled) return undefined;
    if (said.text === undefined && said.images === undefined) return content;
    const kept = said.images?.filter((block) => block.type === "image") ??
      images;
    const words = said.text ?? text;
    return kept.length === 0 ? words : [{ type: "text", text: words }, ...kept];
  }

  /** Tells handlers of an event, where there are any. */
  notify<Type extends NoticeEvent["type"]>(
    type: Type,
    event: (type: Type) => NoticeEvent,
  ): void | Promise<void> {
    if (this.#parts.has(type)) return this.#tell(event(type));
  }

  async #tell(event: NoticeEvent): Promise<void> {
    await this.#ask("notice", { event });
  }

  async #context(messages: Message[]): Promise<Message[]> {
    const { mirror } = this.#parts;
    const answer = await this.#ask("context", {
      messages: messages.map((message) => mirror.ref(message)),
    });
    if (!answer?.messages) return messages;
    const sent = answer.messages.map((ref) => mirror.resolve(ref));
    const isKnown = sent.every((message) =>
      message !== undefined && message.role !== "system"
    );
    return isKnown ? sent as Message[] : messages;
  }

  /** Nothing but the content is taken: all else of a message is a fact. */
  async #messageEnd(message: AgentMessage): Promise<AgentMessage> {
    if (message.role === "system" || message.role === "toolResult") {
      return (await this.#ask("message_end", { message }), message);
    }
    const changed = (await this.#ask("message_end", { message }))?.message;
    if (!changed || changed.role !== message.role) return message;
    if (message.role === "assistant") {
      const { content } = changed as typeof message;
      const isSame = Array.isArray(content) &&
        callsIn(content) === callsIn(message.content);
      return isSame ? { ...message, content } : message;
    }
    return { ...message, content: changed.content } as AgentMessage;
  }

  async #beforeToolCall(
    { toolCall, args }: BeforeToolCallContext,
    signal: AbortSignal | undefined,
  ): Promise<BeforeToolCallResult | undefined> {
    let decision: Answer<"tool_call">;
    try {
      const facts = this.#callFacts(toolCall, args);
      decision = await this.#askOrFail("tool_call", facts, signal);
    } catch (error) {
      return {
        block: true,
        reason: `Plugins could not judge the call, so that it is not made: ${
          textOfError(error)
        }`,
      };
    }
    const { block, reason, terminate, args: changed, changedBy } = decision;
    if (block) {
      return withoutUndefined({ block, reason, terminate });
    }
    return changed && { args: changed, changedBy: changedBy ?? "A plugin" };
  }

  async #afterToolCall(
    { toolCall, args, result, isError }: AfterToolCallContext,
  ): Promise<AfterToolCallResult | undefined> {
    const facts = this.#callFacts(toolCall, args);
    try {
      const patch = await this.#askOrFail("tool_result", {
        ...facts,
        partial: false,
        result,
        isError,
      });
      return Object.keys(patch).length === 0 ? undefined : patch;
    } catch (error) {
      return withheld(result, error);
    }
  }

  async #progress(
    { toolCallId, toolName, args, partialResult }: ProgressEvent,
  ): Promise<AgentToolResult> {
    try {
      const patch = await this.#askOrFail("tool_result", {
        toolName,
        toolCallId,
        input: args,
        partial: true,
        result: partialResult,
        isError: false,
      });
      const { isError: _, ...parts } = patch;
      const { structuredContent: __, ...kept } = partialResult;
      return { ...patch.content ? kept : partialResult, ...parts };
    } catch (error) {
      return withheld(partialResult, error) as AgentToolResult;
    }
  }

  #callFacts(toolCall: ToolCall, args: Readonly<JsonObject>): CallFacts {
    return withoutUndefined({
      toolName: toolCall.name,
      toolCallId: toolCall.id,
      parentToolCallId: this.#parts.parentOf(toolCall),
      input: args,
    });
  }

  #grow(delta: AssistantDelta): void | Promise<void> {
    return this.#steps.add(delta, this.#parts.peer);
  }

  /** Undefined when the kernel fails: everything stays as it was. */
  async #ask<Kind extends AskKind>(
    kind: Kind,
    payload: AskPayloads[Kind],
    signal?: AbortSignal,
  ): Promise<Answer<Kind> | undefined> {
    try {
      return await this.#askOrFail(kind, payload, signal);
    } catch (error) {
      if (signal?.aborted) throw error;
      return undefined;
    }
  }

  async #askOrFail<Kind extends AskKind>(
    kind: Kind,
    payload: AskPayloads[Kind],
    signal?: AbortSignal,
  ): Promise<Answer<Kind>> {
    return await (await this.#parts.peer()).ask(kind, payload, { signal });
  }
}

/** Steps of the growing message that handlers are told of, beside the run. */
class Steps {
  #sent = 0;
  #heard = 0;
  #lengths: { n: number; length: number }[] = [];
  #unheard = 0;
  #wake = Promise.withResolvers<void>();

  add(
    delta: AssistantDelta,
    peer: () => Promise<KernelPeer>,
  ): void | Promise<void> {
    const n = ++this.#sent;
    const length = "delta" in delta ? delta.delta.length : 0;
    this.#lengths.push({ n, length });
    this.#unheard += length;
    peer().then(
      (kernel) => kernel.send({ type: "steps", n, steps: [delta] }),
      () => this.forget(),
    );
    if (this.#unheard > MAX_UNHEARD) return this.#wake.promise;
  }

  noteHeard(n: number): void {
    if (n > this.#sent) return;
    this.#heard = Math.max(this.#heard, n);
    while (this.#lengths[0] && this.#lengths[0].n <= n) {
      this.#unheard -= this.#lengths.shift()?.length ?? 0;
    }
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  forget(): void {
    this.noteHeard(this.#sent);
  }

  async heard(): Promise<void> {
    const last = this.#sent;
    while (this.#heard < last) await this.#wake.promise;
  }
}

/** Makes a message to the model of a plugin's message. */
export function pluginMessage(
  { customType, content, display, details }: Answer<
    "before_agent_start"
  >["messages"][number],
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

function withheld(
  { terminate }: AgentToolResult,
  error: unknown,
): AfterToolCallResult & { content: UserContent[] } {
  const text = `The result is withheld: plugins could not look at it: ${
    textOfError(error)
  }`;
  return {
    content: [{ type: "text", text }],
    details: {},
    isError: true,
    ...(terminate ? { terminate } : {}),
  };
}

function textOfError(error: unknown): string {
  return error instanceof KernelGoneError || error instanceof Error
    ? error.message
    : String(error);
}

function callsIn(content: readonly { type: string }[]): string {
  return JSON.stringify(content.filter(({ type }) => type === "toolCall"));
}

function harmless(
  headers: Record<string, string> = {},
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !isGuardedHeader(name)),
  );
}

function toDelta(event: AssistantMessageEvent): AssistantDelta {
  switch (event.type) {
    case "text_delta":
    case "thinking_delta":
    case "toolcall_delta": {
      const { type, contentIndex, delta } = event;
      return { type, contentIndex, delta };
    }
    case "text_start":
      return { type: event.type, contentIndex: event.contentIndex };
    case "thinking_start": {
      const { type, contentIndex, partial } = event;
      const { redacted } = partial.content[contentIndex] as {
        redacted?: boolean;
      };
      return { type, contentIndex, ...(redacted ? { redacted } : {}) };
    }
    case "text_end":
    case "thinking_end": {
      const { type, contentIndex, partial } = event;
      const block = partial.content[contentIndex] as {
        textSignature?: string;
        thinkingSignature?: string;
      };
      const contentSignature = block.textSignature ?? block.thinkingSignature;
      return withoutUndefined({ type, contentIndex, contentSignature });
    }
    case "toolcall_start": {
      const { type, contentIndex, partial } = event;
      const { id, name } = partial.content[contentIndex] as ToolCall;
      return { type, contentIndex, id, toolName: name };
    }
    case "toolcall_end": {
      const { type, contentIndex, toolCall: { thoughtSignature } } = event;
      return withoutUndefined({ type, contentIndex, thoughtSignature });
    }
    case "start":
    case "done":
    case "error":
      // The loop announces these as message_start and message_end.
      throw new Error(`${event.type} is not an update of a message`);
  }
}
