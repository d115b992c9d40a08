import type { AgentMessage } from "../agent/agent_message.ts";
import { MessageQueue } from "../agent/message_queue.ts";
import type { UserContent } from "../model/content.ts";
import { textOf } from "../model/message.ts";
import type { QueueEvent } from "./session_event.ts";

/** Queues of the user's messages during a run, until the run takes them. */
export class PromptQueues {
  readonly #emit: (event: QueueEvent) => void | Promise<void>;
  readonly #steering = new MessageQueue();
  readonly #followUps = new MessageQueue();

  constructor(emit: (event: QueueEvent) => void | Promise<void>) {
    this.#emit = emit;
  }

  /** True when both queues are empty. */
  get isEmpty(): boolean {
    return this.#steering.size + this.#followUps.size === 0;
  }

  /** Queues a message for before the next request. */
  async steer(message: AgentMessage): Promise<void> {
    this.#steering.add(message);
    await this.#tell();
  }

  /** Queues a message for when the run would end. */
  async followUp(message: AgentMessage): Promise<void> {
    this.#followUps.add(message);
    await this.#tell();
  }

  /** Takes the message for the next request, if there is one. */
  async takeSteering(): Promise<AgentMessage[]> {
    return await this.#take(this.#steering);
  }

  /** Takes what a run that would end goes on with; what steers comes first. */
  async takeNext(): Promise<AgentMessage[]> {
    const isSteered = this.#steering.size > 0;
    return await this.#take(isSteered ? this.#steering : this.#followUps);
  }

  /** Takes everything, as texts. */
  async clear(): Promise<Omit<QueueEvent, "type">> {
    const { steering, followUp } = this.#texts();
    this.#steering.clear();
    this.#followUps.clear();
    if (steering.length + followUp.length > 0) await this.#tell();
    return { steering, followUp };
  }

  async #take(queue: MessageQueue): Promise<AgentMessage[]> {
    const messages = queue.take();
    if (messages.length > 0) await this.#tell();
    return messages;
  }

  #tell(): void | Promise<void> {
    return this.#emit({ type: "queue_update", ...this.#texts() });
  }

  #texts(): Omit<QueueEvent, "type"> {
    return {
      steering: this.#steering.waiting.map(textIn),
      followUp: this.#followUps.waiting.map(textIn),
    };
  }
}

function textIn(message: AgentMessage): string {
  return "content" in message
    ? textOf(message.content as string | UserContent[])
    : "";
}
