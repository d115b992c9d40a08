import type { StreamFn } from "../model/mod.ts";
import type { SessionEventSink } from "../session/mod.ts";

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
}
