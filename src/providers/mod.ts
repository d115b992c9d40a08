// The wire formats: turns a context into a provider's request, and its stream
// into deltas. It knows no session, no settings and no retry; keys come in as
// options and leave only as headers.
export { deltaSourceFor } from "./delta_source_for.ts";
export { findPreset, keyNames, keyOf, presets } from "./presets.ts";
export type { ProviderPreset } from "./presets.ts";
