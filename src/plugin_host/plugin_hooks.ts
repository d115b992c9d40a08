import type { AgentMessage } from "../agent/agent_message.ts";
import type { AgentToolResult } from "../agent/agent_tool.ts";
import type { ImageContent, JsonObject } from "../model/content.ts";
import { isObject } from "../model/json_values.ts";
import type { Message } from "../model/message.ts";
import type {
  PluginEvent,
  PluginEventName,
  PluginEventResults,
  PluginEvents,
  PluginMessage,
  ToolResultEvent,
} from "../sdk/plugin_events.ts";
import { boundedJson } from "./bounded_result.ts";
import { PluginDeadlineError } from "./call_clock.ts";
import { type BoundHandler, copyOf, type EventRunner } from "./event_runner.ts";
import {
  readBlock,
  readCompaction,
  readContext,
  readHeaders,
  readInput,
  readMessage,
  readPatch,
  readPayload,
  readStart,
  readUserBash,
} from "./handler_results.ts";
import { messageOf } from "./load_plugin.ts";

/** The decision about a call that is about to run. */
export type ToolCallDecision =
  | { block: true; reason: string; terminate: boolean }
  /** `changedBy` names the plugins that changed the arguments. */
  | { block: false; input: JsonObject; changedBy: string[] };

/** A result, or progress, as handlers left it. */
export interface SeenResult {
  result: AgentToolResult;
  isError: boolean;
  /** True when the content is not the tool's any more. */
  isReplaced: boolean;
}

type ToolCallFacts = Pick<
  PluginEvents["tool_call"],
  "toolName" | "toolCallId" | "parentToolCallId" | "input"
>;

/**
 * Asks the handlers of plugins: each method tells those of one
 * event and joins what they return.
 *
 * A handler that fails is reported, and the others still run, with three
 * exceptions that fail closed: `tool_call` blocks the call, `tool_result`
 * withholds the content, `user_bash` gives the command up. What a handler
 * returns may be anything; what makes no sense counts as a failure.
 */
export class PluginHooks {
  readonly #runner: EventRunner;

  constructor(runner: EventRunner) {
    this.#runner = runner;
  }

  /** True when a handler listens. */
  has(event: PluginEventName): boolean {
    return this.#runner.has(event);
  }

  /** Tells everybody who listens. */
  notify(event: PluginEvent): Promise<void> {
    return this.#runner.notify(event);
  }

  /** Returns the user's input as handlers left it; undefined when one has dealt with it. */
  async input(
    said: Omit<PluginEvents["input"], "type">,
  ): Promise<{ text: string; images: ImageContent[] } | undefined> {
    let { text, images } = said;
    for (const bound of this.#runner.handlersOf("input")) {
      const event = { ...said, type: "input" as const, text, images };
      const change = await this.#ask(bound, event, readInput);
      if (change?.action === "handled") return undefined;
      if (change?.action !== "transform") continue;
      text = change.text;
      images = change.images ?? images;
    }
    return { text, images };
  }

  /** Returns messages that join the conversation before a run, and the system prompt for it. */
  async beforeAgentStart(
    start: Omit<PluginEvents["before_agent_start"], "type">,
  ): Promise<{ messages: PluginMessage[]; systemPrompt: string | undefined }> {
    const messages: PluginMessage[] = [];
    let { systemPrompt } = start;
    for (const bound of this.#runner.handlersOf("before_agent_start")) {
      const change = await this.#ask(bound, {
        ...start,
        type: "before_agent_start",
        systemPrompt,
      }, readStart);
      if (change?.message) messages.push(change.message);
      systemPrompt = change?.systemPrompt ?? systemPrompt;
    }
    return {
      messages,
      systemPrompt: systemPrompt === start.systemPrompt
        ? undefined
        : systemPrompt,
    };
  }

  /** The messages of a request, without system messages; the same list where nobody changed it. */
  async context(messages: Message[]): Promise<Message[]> {
    let sent = messages;
    for (const bound of this.#runner.handlersOf("context")) {
      const change = await this.#ask(bound, {
        type: "context",
        messages: copyOf(sent),
      }, readContext);
      if (change) sent = asTheyWere(change.messages, sent);
    }
    return sent;
  }

  /** Decides whether a call runs, and with which arguments. */
  async toolCall(call: ToolCallFacts): Promise<ToolCallDecision> {
    let input = copyOf(call.input);
    const changedBy = new Set<string>();
    for (const bound of this.#runner.handlersOf("tool_call")) {
      const event = {
        ...call,
        type: "tool_call" as const,
        input: copyOf(input),
      };
      try {
        const decision = readBlock(await this.#runner.run(bound, event));
        if (decision?.block) {
          return {
            block: true,
            reason: decision.reason || "Tool execution was blocked",
            terminate: decision.terminate === true,
          };
        }
        const json = boundedJson(event.input, { what: "input" });
        if (!isObject(json)) {
          throw new TypeError("input is not an object any more");
        }
        if (JSON.stringify(json) === JSON.stringify(input)) continue;
        input = json;
        changedBy.add(bound.scope.name);
      } catch (error) {
        this.#runner.report(error, {
          scope: bound.scope,
          during: "tool_call",
        });
        return {
          block: true,
          reason: blockReason(error, bound),
          terminate: false,
        };
      }
    }
    return { block: false, input, changedBy: [...changedBy] };
  }

  /** A result, or progress, as handlers leave it. */
  async toolResult(
    call: ToolCallFacts & { partial: boolean },
    { result, isError }: { result: AgentToolResult; isError: boolean },
  ): Promise<SeenResult> {
    let seen: SeenResult = { result, isError, isReplaced: false };
    for (const bound of this.#runner.handlersOf("tool_result")) {
      const { content, details, structuredContent, usage } = copyOf(
        seen.result,
      );
      const event: ToolResultEvent = {
        ...call,
        type: "tool_result",
        input: copyOf(call.input),
        content,
        ...(details === undefined ? {} : { details }),
        ...(structuredContent === undefined ? {} : { structuredContent }),
        ...(usage === undefined ? {} : { usage }),
        isError: seen.isError,
      };
      try {
        const patch = readPatch(await this.#runner.run(bound, event));
        if (patch) seen = patched(seen, patch);
      } catch (error) {
        this.#runner.report(error, {
          scope: bound.scope,
          during: "tool_result",
        });
        return withheld(seen, { bound, error });
      }
    }
    return seen;
  }

  /** A message of the user or the model before it is stored; the same where nobody changed it. */
  async messageEnd(message: AgentMessage): Promise<AgentMessage> {
    let kept = message;
    for (const bound of this.#runner.handlersOf("message_end")) {
      const before = kept;
      const event = { type: "message_end" as const, message: copyOf(kept) };
      const change = await this.#ask(
        bound,
        event,
        (value) => readMessage(value, before),
      );
      if (change) kept = change;
    }
    return kept;
  }

  /** The body of a request as handlers leave it. */
  async providerRequest(payload: JsonObject): Promise<JsonObject> {
    let body = payload;
    for (const bound of this.#runner.handlersOf("before_provider_request")) {
      const change = await this.#ask(bound, {
        type: "before_provider_request",
        payload: copyOf(body),
      }, readPayload);
      body = change ?? body;
    }
    return body;
  }

  /** Returns headers to add to a request. */
  async providerHeaders(
    headers: Record<string, string>,
  ): Promise<Record<string, string>> {
    let added: Record<string, string> = {};
    for (const bound of this.#runner.handlersOf("before_provider_headers")) {
      const change = await this.#ask(bound, {
        type: "before_provider_headers",
        headers: { ...headers, ...added },
      }, readHeaders);
      added = { ...added, ...change };
    }
    return added;
  }

  /** Asks handlers about a compaction. */
  async beforeCompact(
    event: Omit<PluginEvents["session_before_compact"], "type">,
  ): Promise<{ cancel: boolean; summary: string | undefined }> {
    let summary: string | undefined;
    for (const bound of this.#runner.handlersOf("session_before_compact")) {
      const change = await this.#ask(bound, {
        ...copyOf(event),
        type: "session_before_compact",
      }, readCompaction);
      if (change?.cancel) return { cancel: true, summary: undefined };
      summary = change?.summary ?? summary;
    }
    return { cancel: false, summary };
  }

  /** Asks handlers for the output of a user's command; the first that answers decides. Rejects when one fails. */
  async userBash(
    event: Omit<PluginEvents["user_bash"], "type">,
  ): Promise<Required<PluginEventResults["user_bash"]> | undefined> {
    for (const bound of this.#runner.handlersOf("user_bash")) {
      try {
        const returned = await this.#runner.run(bound, {
          ...event,
          type: "user_bash",
        });
        const change = readUserBash(returned);
        if (change) return change;
      } catch (error) {
        this.#runner.report(error, { scope: bound.scope, during: "user_bash" });
        throw new Error(
          `The plugin "${bound.scope.name}" gave the command up: ${
            messageOf(error)
          }`,
          { cause: error },
        );
      }
    }
    return undefined;
  }

  /** Runs a handler and reads its answer; undefined when it returns nothing or fails, which is reported. */
  async #ask<Value>(
    bound: BoundHandler,
    event: PluginEvent,
    read: (returned: unknown) => Value,
  ): Promise<Value | undefined> {
    try {
      const returned = await this.#runner.run(bound, event);
      return returned === undefined || returned === null
        ? undefined
        : read(returned);
    } catch (error) {
      this.#runner.report(error, { scope: bound.scope, during: event.type });
      return undefined;
    }
  }
}

/** Messages that came back as they were are the same objects: requests name them by number then. */
function asTheyWere(returned: Message[], given: Message[]): Message[] {
  const known = new Map(given.map((one) => [JSON.stringify(one), one]));
  return returned.map((one) => known.get(JSON.stringify(one)) ?? one);
}

function blockReason(error: unknown, { scope }: BoundHandler): string {
  if (error instanceof PluginDeadlineError) {
    return `The plugin "${scope.name}" blocks the call: ${error.message}`;
  }
  return error instanceof Error
    ? messageOf(error)
    : `Plugin failed, blocking execution: ${messageOf(error)}`;
}

function patched(
  { result, isError, isReplaced }: SeenResult,
  { isError: newIsError, ...patch }: PluginEventResults["tool_result"],
): SeenResult {
  const changed: AgentToolResult = { ...result, ...patch };
  if (patch.content !== undefined) {
    if (patch.structuredContent === undefined) delete changed.structuredContent;
    if (patch.details === undefined) forgetFullOutput(changed);
  }
  return {
    result: changed,
    isError: newIsError ?? isError,
    isReplaced: isReplaced || patch.content !== undefined,
  };
}

/** The file with the full output holds what the new content is to take the place of. */
function forgetFullOutput(result: AgentToolResult): void {
  if (!isObject(result.details)) return;
  const { fullOutputPath: _, ...details } = result.details;
  result.details = details;
}

function withheld(
  { result }: SeenResult,
  { bound, error }: { bound: BoundHandler; error: unknown },
): SeenResult {
  const text =
    `The result is withheld: the plugin "${bound.scope.name}" failed while it looked at it: ${
      messageOf(error)
    }`;
  return {
    result: {
      content: [{ type: "text", text }],
      details: {},
      ...(result.terminate ? { terminate: true } : {}),
    },
    isError: true,
    isReplaced: true,
  };
}
