import type {
  AgentTool,
  AgentToolResult,
  AgentToolUpdate,
  ToolExecutionMode,
} from "../agent/agent_tool.ts";
import type { JsonObject, JsonValue } from "../model/content.ts";
import type { ConstrainedSampling } from "../model/tool.ts";
import type { PluginToolContext } from "./plugin_context.ts";
import type { Static, TSchema } from "./schema_types.ts";
import type { Theme } from "./theme.ts";

/** What a tool may know of the run that calls it; made afresh at each call. */
export interface ToolContext {
  /** Absolute. Relative paths of arguments start here. */
  cwd: string;
  /** The run's signal. */
  signal?: AbortSignal;
  /** Variables that a shell tool adds to its children, such as `TAU_SESSION_ID`. */
  sessionEnvironment?: Record<string, string>;
}

/** How a call or a result is shown. */
export interface RenderContext {
  /** Absolute; paths below it are shown relative to it. */
  cwd: string;
  /** Columns. */
  width: number;
}

/** How a result is shown. */
export interface RenderOptions {
  /** All of it instead of the first lines. */
  expanded: boolean;
  /** The result is progress, not final. */
  isPartial: boolean;
}

/**
 * A tool as the product knows it: an {@linkcode AgentTool} with a context, the
 * words for the system prompt, and renderers.
 */
export interface ToolDefinition<
  Params extends TSchema = TSchema,
  Details = JsonValue | undefined,
  Context extends ToolContext = ToolContext,
> {
  /** What the model calls it by; unique in a session. */
  name: string;
  /** For people. */
  label: string;
  /** When to use it and how, for the model. */
  description: string;
  /** One line for the system prompt's list of tools; without it the tool is not listed there. */
  promptSnippet?: string;
  /** Rules for the system prompt while the tool is active. */
  promptGuidelines?: string[];
  /** Schema of the arguments; the type of `params` comes from it. */
  parameters: Params;
  /** As {@linkcode AgentTool.constrainedSampling}. */
  constrainedSampling?: ConstrainedSampling;
  /** Schema of `structuredContent`. */
  outputSchema?: TSchema;
  /** As {@linkcode AgentTool.executionMode}. */
  executionMode?: ToolExecutionMode;
  /** Mends raw arguments before they are validated. */
  prepareArguments?(raw: JsonObject): unknown;
  /** As {@linkcode AgentTool.execute}, with the context of this call. */
  execute(
    toolCallId: string,
    params: Static<Params>,
    signal: AbortSignal | undefined,
    onUpdate: AgentToolUpdate<Details> | undefined,
    ctx: Context,
  ): Promise<AgentToolResult<Details>>;
  /** `self`: what the renderers make stands alone, without the frame that calls and results are shown in. Default `default`. */
  renderShell?: "default" | "self";
  /** Lines that show a call, from whatever of its arguments has arrived. Pure. */
  renderCall?(
    args: Partial<Static<Params>>,
    theme: Theme,
    context: RenderContext,
  ): string[];
  /** Lines that show a result. Pure. */
  renderResult?(
    result: AgentToolResult<Details>,
    options: RenderOptions,
    theme: Theme,
    context: RenderContext,
  ): string[];
}

/** A definition of whatever parameters, as lists hold them. */
// deno-lint-ignore no-explicit-any -- execute() takes what its own schema says
export type AnyToolDefinition = ToolDefinition<any, any, any>;

/**
 * Returns the definition as it is, with the types of its parameters inferred;
 * that of its details too, unless `execute` takes `onUpdate`.
 */
export function defineTool<
  Params extends TSchema,
  Details = JsonValue | undefined,
  Context extends ToolContext = PluginToolContext,
>(
  definition: ToolDefinition<Params, Details, Context>,
): ToolDefinition<Params, Details, Context> {
  return definition;
}

/**
 * Makes a definition runnable: copies what both layers share and binds a
 * context that `createContext` makes at each call.
 */
export function wrapToolDefinition(
  definition: AnyToolDefinition,
  createContext: (toolCallId: string, signal?: AbortSignal) => ToolContext,
): AgentTool {
  const tool: AgentTool = {
    name: definition.name,
    label: definition.label,
    description: definition.description,
    parameters: definition.parameters,
    execute: (toolCallId, params, signal, onUpdate) =>
      definition.execute(
        toolCallId,
        params,
        signal,
        onUpdate,
        createContext(toolCallId, signal),
      ),
  };
  if (definition.outputSchema) tool.outputSchema = definition.outputSchema;
  if (definition.executionMode) tool.executionMode = definition.executionMode;
  if (definition.constrainedSampling !== undefined) {
    tool.constrainedSampling = definition.constrainedSampling;
  }
  if (definition.prepareArguments) {
    tool.prepareArguments = (raw) => definition.prepareArguments?.(raw);
  }
  return tool;
}
