// Finds plugins, loads them and runs what they register: handlers with their
// deadlines and error policy, tools with results of bounded size. It knows no
// session, no provider and no terminal: what plugins act on is handed in.
export { findPlugins } from "./find_plugins.ts";
export type { PluginPlaces, PluginSource } from "./find_plugins.ts";
export type { PluginDiagnostic, PluginFault } from "./plugin_diagnostic.ts";
export { PluginHooks } from "./plugin_hooks.ts";
export type { SeenResult, ToolCallDecision } from "./plugin_hooks.ts";
export { PluginHost } from "./plugin_host.ts";
export type { PluginHostOptions } from "./plugin_host.ts";
export type { PluginTool } from "./plugin_tools.ts";
export type {
  NestedCall,
  PluginServices,
  PluginSession,
} from "./plugin_services.ts";
