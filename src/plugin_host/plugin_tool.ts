import { ToolError } from "../agent/tool_error.ts";
import type { JsonObject } from "../model/content.ts";
import { validateValue } from "../model/validate_arguments.ts";
import type { ToolContext } from "../sdk/tool_context.ts";
import type { AnyToolDefinition } from "../sdk/tool_definition.ts";
import { boundedResult } from "./bounded_result.ts";
import type { EventRunner } from "./event_runner.ts";
import { PluginToolContextView } from "./plugin_context_view.ts";
import type { RegisteredTool } from "./plugin_registrations.ts";
import type { PluginScope } from "./plugin_scope.ts";
import type { PluginServices } from "./plugin_services.ts";

/** What a plugin's tool is joined with. */
export interface PluginToolParts {
  scope: PluginScope;
  services: PluginServices;
  runner: EventRunner;
}

/** A plugin's tool as the session runs it: with the plugin's context, its name noted while it runs, and results of bounded size. */
export function createPluginTool(
  { definition, exactParameters }: RegisteredTool,
  { scope, services, runner }: PluginToolParts,
): AnyToolDefinition {
  return {
    ...definition,
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
