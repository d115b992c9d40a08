import type { AgentToolResult, AgentToolUpdate } from "../agent/agent_tool.ts";
import type { ToolContext } from "../sdk/tool_definition.ts";

type Calls = typeof import("./calls.ts");

/** Where and for whom a call runs. */
interface CallPlace<Details> {
  /** The working folder. */
  cwd: string;
  signal: AbortSignal | undefined;
  onUpdate: AgentToolUpdate<Details> | undefined;
}

/** What a call has beside its parameters: how its tool was made, and its place. */
export type CallOptions<Options extends { operations?: unknown }, Details> =
  & Options
  & { operations: NonNullable<Options["operations"]> }
  & CallPlace<Details>;

/** The `execute` of a tool's definition. */
type Execute<Params, Details> = (
  toolCallId: string,
  params: Params,
  signal: AbortSignal | undefined,
  onUpdate: AgentToolUpdate<Details> | undefined,
  ctx: ToolContext,
) => Promise<AgentToolResult<Details>>;

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

/** The `execute` of a tool that was made for a folder, with some options: does the work that is chosen. */
export function calling<Params, Options, Details>(
  choose: (calls: Calls) => (
    params: Params,
    options: Options & CallPlace<Details>,
  ) => Promise<AgentToolResult<Details>>,
  cwd: string,
  options: Options,
): Execute<Params, Details> {
  return async (_toolCallId, params, signal, onUpdate, ctx) => {
    const work = choose(await loadCalls());
    return await work(params, {
      ...options,
      cwd: ctx.cwd || cwd,
      signal,
      onUpdate,
    });
  };
}
