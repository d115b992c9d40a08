import type { AgentEvent, AgentEventSink } from "./agent_event.ts";
import type { AgentMessage } from "./agent_message.ts";

/**
 * The events of one run: told one after the other, each awaited, with an
 * account of what was announced and has not ended.
 *
 * A listener that throws fails the run: `failed` aborts with what it threw,
 * and so does every event after it, untold.
 */
export class RunEvents {
  /** `agent_end` was told. */
  isOver = false;
  isInTurn = false;
  /** The message that was announced and has not ended. */
  openMessage: AgentMessage | undefined;
  /** Ids of the calls that were announced and have not ended. */
  readonly executing = new Set<string>();
  readonly failed: AbortSignal;

  readonly #sink: AgentEventSink;
  readonly #failing = new AbortController();
  /** Events that were told and have not been heard out. */
  #waiting = 0;
  #last = Promise.resolve();

  constructor(sink: AgentEventSink) {
    this.#sink = sink;
    this.failed = this.#failing.signal;
  }

  /** Tells an event when those before it have been heard. */
  readonly emit = (event: AgentEvent): void | Promise<void> => {
    const tell = () => this.#tell(event);
    const heard = this.#waiting++ === 0 ? tell() : this.#last.then(tell, tell);
    if (heard) this.#last = heard;
    return heard;
  };

  /** Emits while the run fails; what listeners throw is ignored. */
  async tellAnyway(event: AgentEvent): Promise<void> {
    this.#track(event);
    try {
      await this.#sink(event);
    } catch {
      // The run fails already; there is nobody left to tell.
    }
  }

  /** Waits only for a listener that returns a promise: there is an event for each delta. */
  #tell(event: AgentEvent): void | Promise<void> {
    const fail = (error: unknown) => {
      this.#waiting--;
      this.#failing.abort(error);
      throw error;
    };
    try {
      this.failed.throwIfAborted();
      this.#track(event);
      const heard = this.#sink(event);
      if (heard) return heard.then(() => void this.#waiting--, fail);
    } catch (error) {
      fail(error);
    }
    this.#waiting--;
  }

  #track(event: AgentEvent): void {
    switch (event.type) {
      case "agent_end":
        this.isOver = true;
        break;
      case "turn_start":
      case "turn_end":
        this.isInTurn = event.type === "turn_start";
        break;
      case "message_start":
      case "message_update":
        this.openMessage = event.message;
        break;
      case "message_end":
        this.openMessage = undefined;
        break;
      case "tool_execution_start":
        this.executing.add(event.toolCallId);
        break;
      case "tool_execution_end":
        this.executing.delete(event.toolCallId);
        break;
    }
  }
}
