import type { AgentToolResult } from "../agent/agent_tool.ts";
import type { RefusalListener } from "../operations/guarded_paths.ts";
import type { StreamFn } from "../model/stream.ts";
import type { SessionEventSink } from "../session/session_event.ts";

/**
 * What a session needs from outside its sandbox. In a kernel the host serves
 * it over the protocol; in one process it is local.
 */
export interface KernelServices {
  streamModel: StreamFn;
  /** Hears every event, in order; awaited. */
  emit: SessionEventSink;
  /** The session's file; undefined where it is not stored. */
  sessionFile(): string | undefined;
  /** Kills every process that was started with `TAU_CALL=marker` in its environment. */
  killCall(marker: string): Promise<void>;
  /** Hears of each path that a tool was refused. */
  onRefused?: RefusalListener;
  /** Returns the recorded result of a call that has started; without an id, of the check. Rejects where there is none, which ends the run. */
  recordedResult(toolCallId?: string): Promise<AgentToolResult>;
}
