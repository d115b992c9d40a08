import { type Message, type SystemMessage, textOf } from "../model/message.ts";
import type { Context } from "../model/stream.ts";
import type { AgentMessage } from "./agent_message.ts";

/**
 * The messages of a transcript as a request has them: the prompt apart from the other
 * messages. It is fed each message once, so that a turn only copies the list of
 * those before it. A host's own kinds of message are left out.
 */
export class RequestMessages {
  readonly #system: SystemMessage[] = [];
  readonly #rest: Exclude<Message, SystemMessage>[] = [];
  /** Undefined when a system message came after it was made. */
  #systemPrompt: string | undefined;

  constructor(messages: Iterable<AgentMessage> = []) {
    for (const message of messages) this.read(message);
  }

  /** Takes a message in. */
  read(message: AgentMessage): void {
    if (!isModelMessage(message)) return;
    if (message.role === "system") {
      this.#system.push(message);
      this.#systemPrompt = undefined;
    } else {
      this.#rest.push(message);
    }
  }

  /** The messages read so far; reading on does not change it. */
  toContext(): Pick<Context, "systemPrompt" | "messages"> {
    const messages = this.#rest.slice();
    const systemPrompt = this.#systemPrompt ??= renderSystemPrompt(
      this.#system,
    );
    return systemPrompt === "" ? { messages } : { systemPrompt, messages };
  }
}

/** The messages that a provider knows; a host's own kinds are left out. The `convertToLlm` of an agent without one. */
export function keepModelMessages(messages: AgentMessage[]): Message[] {
  return messages.filter(isModelMessage);
}

/** The prompt that a sequence of system messages adds up to: their contents, then the sections as last said. */
export function renderSystemPrompt(messages: readonly SystemMessage[]): string {
  const { content, sections } = replaySystemMessages(messages);
  return [...(content === "" ? [] : [content]), ...sections.values()]
    .join("\n\n");
}

/** The sum of a sequence of system messages: their contents, a blank line between them, and the sections as last said. */
export function replaySystemMessages(
  messages: readonly SystemMessage[],
): { content: string; sections: Map<string, string> } {
  const contents: string[] = [];
  const sections = new Map<string, string>();
  for (const message of messages) {
    const text = textOf(message.content);
    if (text !== "") contents.push(text);
    for (const [name, section] of Object.entries(message.sections ?? {})) {
      if (section === null) sections.delete(name);
      else sections.set(name, section);
    }
  }
  return { content: contents.join("\n\n"), sections };
}

function isModelMessage(message: AgentMessage): message is Message {
  const { role } = message;
  return role === "user" || role === "assistant" || role === "toolResult" ||
    role === "system";
}
