import type {
  AssistantContent,
  ToolCall,
  UserContent,
} from "../model/content.ts";
import {
  type AssistantMessage,
  type Message,
  type SystemMessage,
  textOf,
} from "../model/message.ts";
import type { Model } from "../model/model.ts";
import type { Context } from "../model/stream.ts";
import type { Tool } from "../model/tool.ts";
import {
  type ToolCallIdRules,
  ToolCallIds,
  WORD_IDS,
} from "./tool_call_ids.ts";

const LEFT_OUT = "(The beginning of the conversation was left out.)";
/** The text of a result that has none. */
const NO_OUTPUT = "(no output)";

/** A message as every wire format can express it. */
export type PreparedMessage =
  | { role: "user"; content: UserContent[] }
  | { role: "assistant"; content: AssistantContent[] }
  | PreparedResult;

/** The result of the call with this id, right behind the message that holds the call. */
export interface PreparedResult {
  role: "toolResult";
  toolCallId: string;
  toolName: string;
  content: UserContent[];
  isError: boolean;
}

/** A context that no provider has a reason to refuse. */
export interface PreparedContext {
  systemPrompt?: string;
  messages: PreparedMessage[];
  tools: Tool[];
}

/**
 * Repairs a context for a request; changes nothing in place.
 *
 * - System messages are collapsed into the system prompt. Where the context
 *   names no tools, those that they declare are used.
 * - Errored and aborted assistant messages are left out, and blank text, and
 *   then messages that say nothing (thinking alone says nothing).
 * - Each call is followed by exactly one result: results move behind the
 *   message of their call, in call order; a call without one gets an error
 *   result, a result without a call is left out. Where an id was used twice,
 *   results belong to the latest message with that id, in order.
 * - Ids become what `idRules` allow, unique over the transcript.
 * - Neighbouring messages of the same role are joined.
 * - Signatures are kept for the model that they came from, and thinking only
 *   with one.
 */
export function prepareMessages(
  context: Context,
  { model, idRules = WORD_IDS, beginsWithUser = false }: {
    model: Model;
    /** Default {@linkcode WORD_IDS}. */
    idRules?: ToolCallIdRules;
    /** Puts a user message before an answer that is first. Default false. */
    beginsWithUser?: boolean;
  },
): PreparedContext {
  const { systemPrompt, tools } = collapseSystem(context);
  const messages = joinNeighbours(
    pairResults(model, {
      messages: context.messages,
      ids: new ToolCallIds(idRules),
    }),
  );
  // After a compaction the transcript may begin with an answer.
  if (beginsWithUser && messages[0]?.role === "assistant") {
    messages.unshift({ role: "user", content: text(LEFT_OUT) });
  }
  return systemPrompt === ""
    ? { messages, tools }
    : { systemPrompt, messages, tools };
}

/** Cleans messages and puts results behind their calls. */
function pairResults(
  model: Model,
  { messages, ids }: { messages: Message[]; ids: ToolCallIds },
): PreparedMessage[] {
  const prepared: PreparedMessage[] = [];
  const open = new Map<string, { results: PreparedResult[]; owner: Message }>();
  for (const message of messages) {
    if (message.role === "user") {
      const content = cleanContent(model, message.content, "image");
      if (content.length > 0) prepared.push({ role: "user", content });
    } else if (message.role === "assistant") {
      const content = cleanAnswer(model, message);
      if (!content) continue;
      const slots: PreparedResult[] = [];
      prepared.push({
        role: "assistant",
        content: content.map((block) => {
          if (block.type !== "toolCall") return block;
          const slot = unanswered(ids.give(block.id), toolName(block));
          slots.push(slot);
          const waiting = open.get(block.id);
          if (waiting?.owner === message) waiting.results.push(slot);
          else open.set(block.id, { owner: message, results: [slot] });
          return { ...block, id: slot.toolCallId, name: toolName(block) };
        }),
      });
      prepared.push(...slots);
    } else if (message.role === "toolResult") {
      const slot = open.get(message.toolCallId)?.results.shift();
      if (!slot) continue;
      slot.content = cleanContent(model, message.content, "tool image");
      if (slot.content.length === 0) slot.content = text(NO_OUTPUT);
      slot.isError = message.isError;
    }
  }
  return prepared;
}

function unanswered(toolCallId: string, toolName: string): PreparedResult {
  return {
    role: "toolResult",
    toolCallId,
    toolName,
    content: text("No result provided"),
    isError: true,
  };
}

/** The blocks of an answer that can be sent again; undefined when none is left to say. */
function cleanAnswer(
  model: Model,
  message: AssistantMessage,
): AssistantContent[] | undefined {
  if (message.stopReason === "error" || message.stopReason === "aborted") {
    return;
  }
  const own = message.api === model.api &&
    message.provider === model.provider &&
    message.model === model.id;
  const content = message.content.filter((block) => {
    if (block.type === "text") return !isBlank(block.text);
    return block.type === "toolCall" || (own && !!block.thinkingSignature);
  });
  if (!content.some((block) => block.type !== "thinking")) return undefined;
  return own ? content : content.map(withoutSignature);
}

function withoutSignature(block: AssistantContent): AssistantContent {
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type === "thinking") return block;
  const { thoughtSignature: _, ...call } = block;
  return call;
}

/** Models invent names; one that no provider accepts would end the session. */
function toolName(call: ToolCall): string {
  return call.name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unknown";
}

function cleanContent(
  model: Model,
  content: string | UserContent[],
  image: string,
): UserContent[] {
  if (typeof content === "string") return isBlank(content) ? [] : text(content);
  const seesImages = model.input.includes("image");
  return content.flatMap((block): UserContent[] => {
    if (block.type === "text") return isBlank(block.text) ? [] : [block];
    if (seesImages) return [block];
    return text(`(${image} omitted: model does not support images)`);
  });
}

function joinNeighbours(messages: PreparedMessage[]): PreparedMessage[] {
  const joined: PreparedMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role === "user" && message.role === "user") {
      last.content.push(...message.content);
    } else if (last?.role === "assistant" && message.role === "assistant") {
      last.content.push(...message.content);
    } else {
      joined.push(
        { ...message, content: [...message.content] } as PreparedMessage,
      );
    }
  }
  return joined;
}

/** Replays the system messages: texts add up, sections and tools are patched by name. */
function collapseSystem(
  context: Context,
): { systemPrompt: string; tools: Tool[] } {
  const texts = [context.systemPrompt ?? ""];
  const sections = new Map<string, string>();
  const tools = new Map<string, Tool>();
  for (const message of context.messages) {
    if (message.role !== "system") continue;
    texts.push(textOf(message.content));
    patch(message, { sections, tools });
  }
  return {
    systemPrompt: [...texts, ...sections.values()]
      .filter((part) => !isBlank(part)).join("\n\n"),
    tools: context.tools ?? [...tools.values()],
  };
}

function patch(
  message: SystemMessage,
  { sections, tools }: {
    sections: Map<string, string>;
    tools: Map<string, Tool>;
  },
): void {
  for (const [name, section] of Object.entries(message.sections ?? {})) {
    if (section === null) sections.delete(name);
    else sections.set(name, section);
  }
  for (const { name } of message.toolsRemoved ?? []) tools.delete(name);
  for (const tool of message.toolsAdded ?? []) tools.set(tool.name, tool);
}

function text(words: string): UserContent[] {
  return [{ type: "text", text: words }];
}

function isBlank(words: string): boolean {
  return words.trim() === "";
}
