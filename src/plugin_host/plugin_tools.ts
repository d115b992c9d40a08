import { ToolError } from "../agent/tool_error.ts";
import type { JsonObject } from "../model/content.ts";
import { validateValue } from "../model/validate_arguments.ts";
import type { ToolContext } from "../sdk/tool_context.ts";
import type {
  AnyToolDefinition,
  RenderContext,
} from "../sdk/tool_definition.ts";
import { boundedResult } from "./bounded_result.ts";
import type { EventRunner } from "./event_runner.ts";
import type { LoadedPlugin } from "./load_plugin.ts";
import { PluginToolContextView } from "./plugin_context_view.ts";
import type { RegisteredTool } from "./plugin_registrations.ts";
import type { PluginScope } from "./plugin_scope.ts";
import type { PluginServices } from "./plugin_services.ts";
import { renderedLines } from "./rendered_lines.ts";

/** A tool of a plugin. */
export interface PluginTool {
  definition: AnyToolDefinition;
  plugin: string;
  /** It stands in the place of a built-in tool. */
  isOverride: boolean;
}

/** The tools of all plugins, each name once: the first plugin that registers it has it. */
export class PluginTools {
  readonly #builtIn: ReadonlySet<string>;
  readonly #parts: { services: PluginServices; runner: EventRunner };
  readonly #byName = new Map<string, PluginTool>();
  /** Those that were taken or refused. */
  readonly #seen = new WeakSet<RegisteredTool>();

  constructor(
    builtIn: readonly string[],
    parts: { services: PluginServices; runner: EventRunner },
  ) {
    this.#builtIn = new Set(builtIn);
    this.#parts = parts;
  }

  get all(): readonly PluginTool[] {
    return [...this.#byName.values()];
  }

  /** Takes those of a plugin's tools that were not looked at yet; returns the names of those that are there now. */
  take(
    { scope, registrations }: LoadedPlugin,
    warn: (warning: string) => void,
  ): string[] {
    const names: string[] = [];
    for (const tool of registrations.tools) {
      if (this.#seen.has(tool)) continue;
      this.#seen.add(tool);
      const { name } = tool.definition;
      const problem = this.#problemWith(tool);
      if (problem !== undefined) {
        warn(`The tool "${name}" is left out: ${problem}`);
        continue;
      }
      this.#byName.set(name, {
        definition: createPluginTool(tool, { scope, ...this.#parts }),
        plugin: scope.name,
        isOverride: this.#builtIn.has(name),
      });
      names.push(name);
    }
    return names;
  }

  #problemWith({ definition, isOverride }: RegisteredTool): string | undefined {
    const { name } = definition;
    const other = this.#byName.get(name);
    if (other) return `the plugin "${other.plugin}" has one of that name`;
    return this.#builtIn.has(name) && !isOverride
      ? "there is a built-in one of that name; register it with { override: true } to replace that"
      : undefined;
  }
}

/** Things that a plugin's tool is joined with. */
interface PluginToolParts {
  scope: PluginScope;
  services: PluginServices;
  runner: EventRunner;
}

/** Makes the tool as the session runs it: with the plugin's context, its name noted while it runs, and results of bounded size. */
export function createPluginTool(
  { definition, exactParameters }: Pick<
    RegisteredTool,
    "definition" | "exactParameters"
  >,
  { scope, services, runner }: PluginToolParts,
): AnyToolDefinition {
  const { renderCall, renderResult } = definition;
  /** Lines of a renderer; what is wrong with it is told, and nothing else depends on it. */
  const rendered = async (
    during: string,
    render: () => unknown,
    { width }: RenderContext,
  ): Promise<string[] | undefined> => {
    const leave = services.enter(scope.name);
    try {
      return await renderedLines(render(), width);
    } catch (error) {
      runner.report(error, { scope, during });
      return undefined;
    } finally {
      leave();
    }
  };
  return {
    ...definition,
    ...(renderCall && {
      renderCall: (args, theme, context) =>
        rendered(
          "renderCall",
          () => renderCall.call(definition, args, theme, context),
          context,
        ),
    }),
    ...(renderResult && {
      renderResult: (result, options, theme, context) =>
        rendered(
          "renderResult",
          () => renderResult.call(definition, result, options, theme, context),
          context,
        ),
    }),
    async execute(toolCallId, params, signal, onUpdate, base: ToolContext) {
      scope.assertAlive();
      if (exactParameters !== undefined) {
        assertExact(definition.name, params, exactParameters);
      }
      const ctx = new PluginToolContextView({
        scope,
        services,
        onPrompt: (kind, title) => runner.prompt(kind, title),
      }, { toolCallId, base: signal ? { ...base, signal } : base });
      const leave = services.enter(scope.name);
      try {
        const returned = await definition.execute(
          toolCallId,
          params,
          signal,
          (partial) => onUpdate?.(boundedResult(partial, { isProgress: true })),
          ctx,
        );
        return boundedResult(returned);
      } finally {
        leave();
      }
    },
  };
}

/** Alternatives at the top of a schema are not what providers are told. */
function assertExact(
  name: string,
  params: JsonObject,
  exactParameters: unknown,
): void {
  const faults = validateValue(exactParameters as JsonObject, params);
  if (faults.length === 0) return;
  const lines = faults.map(({ path, message }) => `  - ${path}: ${message}`);
  throw new ToolError(
    `Validation failed for tool "${name}":\n${lines.join("\n")}`,
  );
}
