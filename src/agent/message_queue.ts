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

  /** Removes and returns the messages that enter the next turn. */
  take(): AgentMessage[] {
    const count = this.mode === "all" ? this.#messages.length : 1;
    return this.#messages.splice(0, count);
  }

  /** The waiting messages, in their order. */
  peek(): AgentMessage[] {
    return this.#messages.slice();
  }

  /** Removes all of them. */
  clear(): void {
    this.#messages = [];
  }
}
