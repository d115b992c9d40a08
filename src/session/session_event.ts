import type { AgentEvent } from "../agent/agent_event.ts";
import type { CheckEvent } from "./check_goal.ts";
import type { CompactionEvent } from "./compaction.ts";
import type { RetryEvent } from "./retry.ts";

/** The queues changed; texts of the messages that wait. */
export interface QueueEvent {
  type: "queue_update";
  /** For before the next request. */
  steering: string[];
  /** For when the run would end. */
  followUp: string[];
}

/** Events of a session: those of its runs, and of what the session does around them. */
export type SessionEvent =
  | AgentEvent
  | CheckEvent
  | QueueEvent
  | CompactionEvent
  | RetryEvent;

/** Hears an event. The session goes on when the returned promise settles. */
export type SessionEventSink = (event: SessionEvent) => void | Promise<void>;
