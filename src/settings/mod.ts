// What the user has set: settings files and their merge, trust in projects, and
// where both are. It knows no provider, no run and no terminal.
export { loadSettings, loadSettingsSchema } from "./load_settings.ts";
export type { LoadedSettings } from "./load_settings.ts";
export { readFileHead } from "./read_file_head.ts";
export type { FileHead } from "./read_file_head.ts";
export type { ModelSettings, ProviderSettings, Settings } from "./settings.ts";
export { tauHome } from "./tau_home.ts";
export { findProject, saveTrust, trustFile } from "./trust.ts";
export type { Project, ProjectOptions } from "./trust.ts";
export { UsageError } from "./usage_error.ts";
