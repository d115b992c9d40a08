// deno-lint-ignore-file no-explicit-any -- each tool has types of its own
import type { JsonObject, JsonValue, UserContent } from "../model/content.ts";
import type { Usage } from "../model/message.ts";
import type { Static, TSchema } from "../model/schema_types.ts";
import type { JsonSchema, Tool } from "../model/tool.ts";

/** The result of a tool call. Its `details` may be left out where their type says so. */
export type AgentToolResult<Details = any> =
  & ToolResultFields
  & (undefined extends Details ? DetailsField<Details>
    : Required<DetailsField<Details>>);

/** Data for renderers and hosts. */
export interface DetailsField<Details> {
  /** Data for renderers and hosts, as JSON. The model never sees it. */
  details?: Details;
}

/** Fields of a result beside its details. */
export interface ToolResultFields {
  /** The text and images that the model sees. */
  content: UserContent[];
  /** The result as JSON that fits `outputSchema`. */
  structuredContent?: JsonValue;
  /** Tokens and money that the tool itself spent on models. */
  usage?: Usage;
  /** True when the model should hear that the call failed. Default false. */
  isError?: boolean;
  /** True: the run ends, when all calls of the same answer want that. Default false. */
  terminate?: boolean;
  /** Names of tools that this call added to the tool set. */
  addedToolNames?: string[];
}

/**
 * Reports progress: each report replaces the one before. Ignored once
 * `execute` has settled.
 */
export type AgentToolUpdate<Details = any> = (
  partialResult: AgentToolResult<Details>,
) => void;

/** `parallel`: a call may run beside the other calls of the same answer. `sequential`: all calls of the answer run one after the other. */
export type ToolExecutionMode = "sequential" | "parallel";

/** The arguments that a schema describes: those of its type, or any where it is plain JSON Schema. */
export type ArgumentsOf<Schema> = Schema extends TSchema ? Static<Schema>
  : JsonObject;

/**
 * A tool that the loop can run: by the type of its schema, and that of its
 * details.
 *
 * `execute` gets arguments that passed `parameters`. It throws to fail: the
 * message becomes an error result that the model reads, and the run goes on.
 * It must settle soon after `signal` aborts.
 */
export interface AgentTool<Params extends JsonSchema = any, Details = any>
  extends Tool<Params> {
  /** For people. */
  label: string;
  /** Schema of `structuredContent`. */
  outputSchema?: Tool["parameters"];
  /** `sequential` makes every batch with a call of this tool run one call at a time. Default `parallel`. */
  executionMode?: ToolExecutionMode;
  /** Says whether a call may be repeated whose outcome nobody knows; read by no part of the loop. */
  replay?: "never" | "safe";
  /** Mends raw arguments before they are validated; a throw fails the call. */
  prepareArguments?(raw: JsonObject): unknown;
  /** Stands in for `prepareArguments` and the check against `parameters`: resolves to the arguments, or rejects with what the model reads. */
  validateArguments?(
    raw: JsonObject,
    signal?: AbortSignal,
  ): JsonObject | Promise<JsonObject>;
  /** Runs one call. `onUpdate` may be called as often as there is news. */
  execute(
    toolCallId: string,
    params: ArgumentsOf<Params>,
    signal?: AbortSignal,
    onUpdate?: AgentToolUpdate<Details>,
  ): Promise<AgentToolResult<Details>>;
}
