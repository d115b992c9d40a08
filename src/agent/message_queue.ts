import type { AgentMessage } from "./agent_message.ts";

/** How many queued messages enter a turn together. */
export type QueueMode = "one-at-a-time" | "all";

/** Messages that wait for their turn, first in, first out. */
export class MessageQueue {
  mode: QueueMode;
  #messages: AgentMessage[] = [];

  constructor(mode: QueueMode = "one-at-a-time") {
    this.mode = mode;
  }

  get size(): number {
    return this.#messages.length;
  }

  add(message: AgentMessage): void {
    this.#messages.push(message);
  }

  /** Takes what enters the next turn. */
  take(): AgentMessage[] {
    const count = this.mode === "all" ? this.#messages.length : 1;
    return this.#messages.splice(0, count);
  }

  peek(): AgentMessage[] {
    return this.#messages.slice();
  }

  clear(): void {
    this.#messages = [];
  }
}
