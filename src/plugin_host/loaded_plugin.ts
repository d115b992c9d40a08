import type { PluginSource } from "./find_plugins.ts";
import type { PluginModules } from "./plugin_modules.ts";
import type { PluginRegistrations } from "./plugin_registrations.ts";
import type { PluginScope } from "./plugin_scope.ts";

/** A plugin whose function has returned. */
export interface LoadedPlugin {
  source: PluginSource;
  scope: PluginScope;
  registrations: PluginRegistrations;
  /** What it was loaded from. */
  modules: PluginModules;
  /** Milliseconds for import and factory. */
  ms: number;
}
