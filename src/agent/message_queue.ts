import type { AgentMessage } from "./agent_message.ts";

/** How many queued messages enter a turn together. */
export type QueueMode = "one-at-a-time" | "all";

/** Messages that wait for their turn, first in, first out. */
export class MessageQueue {
  /** How many leave together. */
  /** May be changed at any time. */
  mode: QueueMode;
  #messages: AgentMessage[] = [];

  /** An empty queue. */
  /** Empty. */
  constructor(mode: QueueMode = "one-at-a-time") {
    this.mode = mode;
  }

  /** How many wait. */
  get size(): number {
    return this.#messages.length;
  }

  /** Puts one behind the others. */
  /** Adds a message behind all others. */
  add(message: AgentMessage): void {
    this.#messages.push(message);
  }

  /** Takes what enters the next turn. */
  take(): AgentMessage[] {
    const count = this.mode === "all" ? this.#messages.length : 1;
    return this.#messages.splice(0, count);
  }

  /** What waits, first to last. */
  /** What waits, in its order. */
  peek(): AgentMessage[] {
    return this.#messages.slice();
  }

  /** Forgets all of them. */
  /** Forgets what waits. */
  clear(): void {
    this.#messages = [];
  }
}
