import type { AgentTool, AgentToolUpdate } from "../../agent/agent_tool.ts";
import type { AgentToolResult } from "../../agent/agent_tool.ts";
import { snapshotTool } from "../../agent/strict/snapshot_tool.ts";
import { ToolError } from "../../agent/tool_error.ts";
import type { JsonObject } from "../../model/content.ts";
import { withoutUndefined } from "../../model/without_undefined.ts";
import type { DeclaredTool } from "../../protocol/kernel_protocol.ts";
import { plainTheme, terminalTheme } from "../../sdk/theme.ts";
import type { AnyToolDefinition } from "../../sdk/tool_definition.ts";
import type { ServedTool, Shown } from "../../session/tool_server.ts";
import type { KernelPeer, WantedCall } from "./kernel_peer.ts";
import type { ShownTool } from "./built_in_definitions.ts";
import { isPlainSchema } from "./plain_schema.ts";

/** The screen that calls and results are rendered for. */
export interface Screen {
  cwd: string;
  width: number;
  color: boolean;
}

/** Parts that the tools of a kernel need. */
export interface KernelToolParts {
  /** Resolves with the kernel that takes a call, once it may be made. */
  ready(): Promise<KernelPeer>;
  /** Facts that go along with a call. */
  factsOf(
    toolCallId: string,
  ): Pick<WantedCall, "sessionEnvironment" | "realPath">;
  /** The words for a call whose kernel has ended. */
  afterDeath(error: unknown, hasBegun: boolean): Error;
  /** Undefined where nothing is rendered. */
  screen: Screen | undefined;
}

/** Milliseconds that a plugin has for lines of its own. */
const RENDER_MS = 250;

/** A tool that every kernel has, declared by the host itself. */
export function builtInTool(
  definition: ShownTool,
  parts: KernelToolParts,
): ServedTool {
  const { prepareArguments, promptSnippet, promptGuidelines } = definition;
  const { screen } = parts;
  return withoutUndefined({
    promptSnippet,
    promptGuidelines,
    tool: withoutUndefined({
      ...declarationOf(definition),
      outputSchema: definition.outputSchema as JsonObject | undefined,
      executionMode: definition.executionMode,
      prepareArguments: prepareArguments &&
        ((raw: JsonObject) => prepareArguments.call(definition, raw)),
      execute: caller(definition.name, "built_in", parts),
    }),
    render: screen && ((shown: Shown) => rendered(definition, shown, screen)),
  });
}

/** The tools that a kernel has declared. One that no session takes is left out, and told. */
export function declaredTools(
  declared: readonly DeclaredTool[],
  { refuse, ...parts }: KernelToolParts & {
    refuse(name: string, plugin: string | undefined, why: string): void;
    isBuiltIn(name: string): boolean;
  },
): ServedTool[] {
  const taken = new Set<string>();
  return declared.flatMap((one) => {
    const { name, plugin } = one;
    try {
      if (taken.has(name)) throw new TypeError("there is another one");
      if (one.isOverride !== parts.isBuiltIn(name)) {
        throw new TypeError("it does not override what is built in");
      }
      const served = declaredTool(one, parts);
      snapshotTool(served.tool);
      taken.add(name);
      return [served];
    } catch (error) {
      refuse(name, plugin, error instanceof Error ? error.message : `${error}`);
      return [];
    }
  });
}

function declaredTool(
  declared: DeclaredTool,
  parts: KernelToolParts,
): ServedTool {
  const { name, plugin, promptSnippet, promptGuidelines } = declared;
  const { rendersCalls, rendersResults, validates } = declared;
  const { screen } = parts;
  const validate = async (
    raw: JsonObject,
    signal?: AbortSignal,
  ): Promise<JsonObject> => {
    const peer = await parts.ready();
    try {
      const { args } = await peer.ask("validate", { tool: name, raw }, {
        signal,
      });
      return args;
    } catch (error) {
      throw new ToolError(error instanceof Error ? error.message : `${error}`);
    }
  };
  return withoutUndefined({
    plugin,
    promptSnippet,
    promptGuidelines,
    tool: withoutUndefined({
      ...declarationOf(declared),
      executionMode: declared.executionMode,
      validateArguments: validates || !isPlainSchema(declared.parameters)
        ? validate
        : undefined,
      execute: caller(name, "declared", parts),
    }),
    render: screen && (rendersCalls || rendersResults)
      ? async (shown: Shown) => {
        const isWanted = "args" in shown ? rendersCalls : rendersResults;
        if (!isWanted) return undefined;
        const { width, color } = screen;
        return await inTime(
          parts.ready().then((peer) =>
            peer.ask("render", { tool: name, shown, width, color })
          ),
        );
      }
      : undefined,
  });
}

async function inTime(
  work: Promise<{ lines?: string[] }>,
): Promise<string[] | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), RENDER_MS);
  });
  try {
    return await Promise.race([work.then(({ lines }) => lines), late]);
  } catch {
    // A call whose arguments fit no schema is still shown, by its name.
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

function declarationOf(
  { name, label, description, parameters, constrainedSampling }: Pick<
    AnyToolDefinition,
    "name" | "label" | "description" | "parameters" | "constrainedSampling"
  >,
): Omit<AgentTool, "execute"> {
  return withoutUndefined({
    name,
    label,
    description,
    parameters,
    constrainedSampling,
  });
}

/** A call is sent at most once: when its kernel ends, nobody knows how far it came. */
function caller(
  tool: string,
  from: WantedCall["from"],
  parts: KernelToolParts,
): AgentTool["execute"] {
  return async (
    toolCallId: string,
    args: JsonObject,
    signal?: AbortSignal,
    onUpdate?: AgentToolUpdate,
  ): Promise<AgentToolResult> => {
    let hasBegun = false;
    try {
      const peer = await parts.ready();
      signal?.throwIfAborted();
      hasBegun = true;
      const facts = parts.factsOf(toolCallId);
      return await peer.call({ from, tool, toolCallId, args, ...facts }, {
        signal,
        onUpdate,
      });
    } catch (error) {
      throw parts.afterDeath(error, hasBegun);
    }
  };
}

function rendered(
  definition: ShownTool,
  shown: Shown,
  { cwd, width, color }: Screen,
): string[] | undefined {
  const theme = color ? terminalTheme : plainTheme;
  try {
    return "args" in shown
      ? definition.renderCall?.(shown.args, theme, { cwd, width })
      : definition.renderResult?.(
        shown.result,
        { expanded: false, isPartial: false },
        theme,
        { cwd, width },
      );
  } catch {
    // A call whose arguments fit no schema is still shown, by its name.
    return undefined;
  }
}
