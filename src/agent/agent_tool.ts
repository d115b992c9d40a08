import type { JsonObject, JsonValue, UserContent } from "../model/content.ts";
import type { Usage } from "../model/message.ts";
import type { Tool } from "../model/tool.ts";

/** What a tool gives back. */
export interface AgentToolResult<Details = JsonValue | undefined> {
  /** What the model sees. */
  content: UserContent[];
  /** For renderers and hosts; the model never sees it. JSON. */
  details?: Details;
  /** The result as data, as `outputSchema` describes it. JSON. */
  structuredContent?: JsonValue;
  /** What the tool itself spent on models. */
  usage?: Usage;
  /** True when the model should hear that the call failed. Default false. */
  isError?: boolean;
  /** Votes to end the run; it ends when every call of the batch does. Default false. */
  terminate?: boolean;
  /** Names of tools that this call added to the tool set. */
  addedToolNames?: string[];
}

/**
 * Reports progress: each report replaces the one before. Ignored once
 * `execute` has settled.
 */
export type AgentToolUpdate<Details = JsonValue | undefined> = (
  partialResult: AgentToolResult<Details>,
) => void;

/** Whether a tool may run beside the other calls of its batch. */
export type ToolExecutionMode = "sequential" | "parallel";

/**
 * A tool that the loop can run.
 *
 * `execute` gets arguments that passed `parameters`. It throws to fail: the
 * message becomes an error result that the model reads, and the run goes on.
 * It must settle soon after `signal` aborts.
 */
export interface AgentTool<Params = JsonObject, Details = JsonValue | undefined>
  extends Tool {
  /** For people. */
  label: string;
  /** Schema of `structuredContent`. */
  outputSchema?: Tool["parameters"];
  /** `sequential` makes every batch with a call of this tool run one call at a time. Default `parallel`. */
  executionMode?: ToolExecutionMode;
  /** Mends raw arguments before they are validated; a throw fails the call. */
  prepareArguments?(raw: JsonObject): unknown;
  /** Runs one call. `onUpdate` may be called as often as there is news. */
  execute(
    toolCallId: string,
    params: Params,
    signal?: AbortSignal,
    onUpdate?: AgentToolUpdate<Details>,
  ): Promise<AgentToolResult<Details>>;
}
