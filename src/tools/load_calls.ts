import type { AgentToolUpdate } from "../sdk/mod.ts";

type Calls = typeof import("./calls.ts");

/** What a call has beside its parameters: how its tool was made, and where and for whom it runs. */
export type CallOptions<Options extends { operations?: unknown }, Details> =
  & Options
  & {
    operations: NonNullable<Options["operations"]>;
    /** The working folder. */
    cwd: string;
    signal: AbortSignal | undefined;
    onUpdate: AgentToolUpdate<Details> | undefined;
  };

let calls: Promise<Calls> | undefined;

/**
 * What the built-in tools do when they are called. It is most of their code,
 * and no request needs it: it is loaded by the first call, or by whoever has
 * time before. All of it at once, so that the calls of a batch begin in their
 * order.
 */
export function loadCalls(): Promise<Calls> {
  return calls ??= import("./calls.ts");
}
