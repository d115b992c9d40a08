import type { PluginSetup, RunSetup } from "../protocol/kernel_messages.ts";
import type { AnyToolDefinition } from "../sdk/tool_definition.ts";
import type { ToolFactories } from "../sdk/tool_factories.ts";
import type { SessionEntry } from "../session/session_entry.ts";
import { EntryLog } from "./entry_log.ts";
import { KernelPlugins } from "./kernel_plugins.ts";
import type { SessionChannel } from "./session_channel.ts";

/** Parts that plugins are loaded with, beside their places. */
export interface PluginParts {
  setup: RunSetup;
  channel: SessionChannel;
  factories: ToolFactories;
  builtIn: readonly AnyToolDefinition[];
  history: readonly SessionEntry[];
}

/** Loads the plugins of a session; all that has to do with plugins is loaded with this module, where there may be any. */
export async function loadPlugins(
  plugins: PluginSetup,
  { setup, channel, factories, builtIn, history }: PluginParts,
): Promise<KernelPlugins> {
  return await KernelPlugins.load({
    setup: { ...setup, plugins },
    channel,
    entries: new EntryLog(history),
    factories,
    builtInTools: builtIn.map(({ name }) => name),
  });
}
