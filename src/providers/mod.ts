// The wire formats: turns a context into a provider's request, and its stream
// into deltas. It knows no session, no settings and no retry; keys come in as
// options and leave only as headers.
export {
  canonicalRequest,
  hashOfRequest,
  mapStrings,
  stableJson,
} from "./canonical_request.ts";
export type { CanonicalRequest, CanonicalScope } from "./canonical_request.ts";
export { deltaSourceFor } from "./delta_source_for.ts";
export { NeutralText, SECRET_MARK } from "./neutral_text.ts";
export type { Surroundings } from "./neutral_text.ts";
export {
  findPreset,
  keyNames,
  keyOf,
  presetAtHome,
  presets,
} from "./presets.ts";
export type { ProviderPreset } from "./presets.ts";
