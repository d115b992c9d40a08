import type { AgentMessage } from "../../src/agent/agent_message.ts";
import { user } from "./record_run.ts";

/** A queue of user messages that are handed out from the second poll on, as if they came while the first turn ran. */
export function queueOf(...texts: string[]): {
  afterFirstPoll(count?: number): AgentMessage[];
  left(): number;
} {
  const queue = texts.map(user);
  let polls = 0;
  return {
    afterFirstPoll: (count = queue.length) =>
      polls++ === 0 ? [] : queue.splice(0, count),
    left: () => queue.length,
  };
}
