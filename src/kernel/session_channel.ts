import type { HostChannel } from "./host_channel.ts";

/** Serves a session: the host does, over the protocol, or the maker of a session in this process. */
export interface SessionChannel extends
  Pick<
    HostChannel,
    | "send"
    | "emitter"
    | "streamModel"
    | "ask"
    | "fetch"
    | "killCall"
    | "recordedResult"
    | "hookProvider"
  > {
  /** Marks the notes on whose code runs; undefined where nobody reads them. */
  readonly token: string | undefined;
  /** Undefined where the session is not stored. */
  readonly sessionFile: string | undefined;
}
