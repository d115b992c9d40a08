import type { AgentMessage } from "./agent_message.ts";

/** Number of queued messages that enter a turn together. */
export type QueueMode = "one-at-a-time" | "all";

/** Messages that wait for their turn, first in, first out. */
export class MessageQueue {
  /** Number of messages that leave together. May be changed at any time. */
  mode: QueueMode;
  #messages: AgentMessage[] = [];

  /** An empty queue. */
  constructor(mode: QueueMode = "one-at-a-time") {
    this.mode = mode;
  }

  /** Messages that wait. */
  get size(): number {
    return this.#messages.length;
  }

  /** Adds a message behind all others. */
  add(message: AgentMessage): void {
    this.#messages.push(message);
  }

  /** All waiting messages, in their order. */
  get waiting(): readonly AgentMessage[] {
    return this.#messages;
  }

  /** The messages that enter the next turn. */
  peek(): AgentMessage[] {
    return this.#messages.slice(0, this.mode === "all" ? undefined : 1);
  }

  /** Removes and returns the messages that enter the next turn. */
  take(): AgentMessage[] {
    return this.#messages.splice(0, this.peek().length);
  }

  /** Removes all of them. */
  clear(): void {
    this.#messages = [];
  }
}
