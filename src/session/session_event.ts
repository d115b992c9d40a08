import type { AgentEvent } from "../agent/agent_event.ts";
import type { CheckEvent } from "./check_goal.ts";
import type { CompactionEvent } from "./compaction.ts";
import type { RetryEvent } from "./retry.ts";

/** What waits to be said, as texts. */
export interface QueueEvent {
  type: "queue_update";
  /** For before the next request. */
  steering: string[];
  /** For when the run would end. */
  followUp: string[];
}

/** What happens in a session: the events of its runs, and what the session does around them. */
export type SessionEvent =
  | AgentEvent
  | CheckEvent
  | QueueEvent
  | CompactionEvent
  | RetryEvent;

/** Hears an event. The session goes on when the returned promise settles. */
export type SessionEventSink = (event: SessionEvent) => void | Promise<void>;
