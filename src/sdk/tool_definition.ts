// deno-lint-ignore-file no-explicit-any -- each tool has types of its own
import type {
  AgentTool,
  AgentToolResult,
  AgentToolUpdate,
  ToolExecutionMode,
} from "../agent/agent_tool.ts";
import type { JsonObject } from "../model/content.ts";
import type { ConstrainedSampling } from "../model/tool.ts";
import { withoutUndefined } from "../model/without_undefined.ts";
import type { PluginToolContext } from "./plugin_context.ts";
import type { Static, TSchema } from "../model/schema_types.ts";
import type { Theme } from "./theme.ts";
import type { ToolContext } from "./tool_context.ts";

/** The place where a call or a result is shown. */
export interface RenderContext<State = any> {
  /** The working folder, absolute; paths below it are shown relative to it. */
  cwd: string;
  /** Columns of the terminal. */
  width: number;
  /** An object of this call's own, empty at first: what `renderCall` leaves there `renderResult` finds. */
  state?: State;
}

/** Settings for showing a result. */
export interface RenderOptions {
  /** True: show all of it, not only the first lines. */
  expanded: boolean;
  /** True: the result is progress, not final. */
  isPartial: boolean;
}

/**
 * A tool: the description that the model reads, the schema of its arguments,
 * the function that runs, and, if you like, lines for the system prompt and
 * functions that show calls and results.
 */
export interface ToolDefinition<
  Params extends TSchema = TSchema,
  Details = any,
  State = any,
> {
  /** The name that the model calls it by; letters, digits, `_` and `-`, at most 64. */
  name: string;
  /** The name that people see. */
  label: string;
  /** Tells the model when to use the tool, and how. */
  description: string;
  /** One line in the list of tools of the system prompt. Without it the tool is not in that list, but the model can call it. */
  promptSnippet?: string;
  /** Rules that stand in the system prompt while the tool is active. */
  promptGuidelines?: string[];
  /** The schema of the arguments: an object. The type of `params` comes from it. */
  parameters: Params;
  /** How far the provider should force the arguments into the schema. Default: the provider decides. */
  constrainedSampling?: ConstrainedSampling;
  /** The schema of `structuredContent` of the result. */
  outputSchema?: TSchema;
  /** `sequential` makes all calls of an answer run one after the other when one of them is of this tool. Default `parallel`. */
  executionMode?: ToolExecutionMode;
  /** Corrects the arguments before they are validated. An error that it throws fails the call. */
  prepareArguments?(raw: JsonObject): unknown;
  /** Runs one call. The model reads an error that it throws as a failed result, and the run goes on. Settle soon after `signal` aborts; call `onUpdate` to report progress. */
  execute(
    toolCallId: string,
    params: Static<Params>,
    signal: AbortSignal | undefined,
    onUpdate: AgentToolUpdate<Details> | undefined,
    ctx: PluginToolContext,
  ): Promise<AgentToolResult<Details>>;
  /** `self`: show the lines of the renderers without the usual frame. Default `default`. */
  renderShell?: "default" | "self";
  /** Returns the lines that show a call. Some arguments may not have arrived yet. */
  renderCall?(
    args: Partial<Static<Params>>,
    theme: Theme,
    context: RenderContext<State>,
  ): string[];
  /** Returns the lines that show a result. */
  renderResult?(
    result: AgentToolResult<Details>,
    options: RenderOptions,
    theme: Theme,
    context: RenderContext<State>,
  ): string[];
}

/** A tool definition of any types; a call may leave out what the tool does not use. */
export interface AnyToolDefinition extends
  Omit<
    ToolDefinition<any, any, any>,
    "execute" | "renderCall" | "renderResult"
  > {
  /** Runs one call. */
  execute(
    toolCallId: string,
    params: any,
    signal?: AbortSignal,
    onUpdate?: AgentToolUpdate<any>,
    ctx?: any,
  ): Promise<AgentToolResult<any>>;
  /** Returns the lines that show a call, or a promise of them. */
  renderCall?(args: any, theme: Theme, context: RenderContext<any>): any;
  /** Returns the lines that show a result, or a promise of them. */
  renderResult?(
    result: AgentToolResult<any>,
    options: RenderOptions,
    theme: Theme,
    context: RenderContext<any>,
  ): any;
}

/**
 * Returns the definition as it is, with the type of its parameters inferred;
 * that of its details, too, unless `execute` takes `onUpdate`.
 */
export function defineTool<
  Params extends TSchema,
  Details = any,
  State = any,
>(
  definition: ToolDefinition<Params, Details, State>,
): ToolDefinition<Params, Details, State> {
  return definition;
}

/**
 * Makes a definition runnable: copies what both layers share. A call gets the
 * context that it is given as its fifth argument, else the one that
 * `createContext` makes, else none, which is enough for built-in tools.
 */
export function wrapToolDefinition(
  definition: AnyToolDefinition,
  createContext?: (toolCallId: string, signal?: AbortSignal) => ToolContext,
): AgentTool {
  const { prepareArguments } = definition;
  return withoutUndefined({
    name: definition.name,
    label: definition.label,
    description: definition.description,
    parameters: definition.parameters,
    outputSchema: definition.outputSchema,
    executionMode: definition.executionMode,
    constrainedSampling: definition.constrainedSampling,
    prepareArguments: prepareArguments &&
      ((raw: JsonObject) => prepareArguments.call(definition, raw)),
    execute: (
      toolCallId: string,
      params: JsonObject,
      signal?: AbortSignal,
      onUpdate?: AgentToolUpdate,
      ctx?: ToolContext,
    ) =>
      definition.execute(
        toolCallId,
        params,
        signal,
        onUpdate,
        ctx ?? createContext?.(toolCallId, signal),
      ),
  });
}
