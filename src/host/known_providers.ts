import {
  findPreset,
  keyNames,
  presets,
  type ProviderPreset,
} from "../providers/presets.ts";
import type { ModelSettings, ProviderSettings } from "../settings/settings.ts";
import { UsageError } from "../settings/usage_error.ts";

/** A provider that a run can use: a built-in one, one of the settings, or one as the settings changed it. */
export interface KnownProvider extends ProviderPreset {
  /** Sent with each request. */
  headers?: Record<string, string>;
  /** Facts about some of its models. */
  models?: readonly ModelSettings[];
}

/** All providers of a run, those that only the settings know first. */
export function knownProviders(
  settings: Record<string, ProviderSettings> = {},
): KnownProvider[] {
  const added = Object.entries(settings)
    .filter(([name]) => !findPreset(name))
    .map(([name, provider]) => custom(name, provider));
  const builtIn = presets.map((preset) =>
    Object.hasOwn(settings, preset.name)
      ? changed(preset, settings[preset.name] as ProviderSettings)
      : preset
  );
  return [...added, ...builtIn];
}

/** Names for people: the variables of keys, and the built-in providers on this machine as their variables begin. */
export function providerVariables(): { keys: string[]; local: string[] } {
  return {
    keys: presets.filter(({ needsKey }) => needsKey).map(keyNames),
    local: presets.filter(({ needsKey }) => !needsKey)
      .map(({ name }) => name.toUpperCase()),
  };
}

function changed(
  preset: ProviderPreset,
  { baseUrl, api, apiKeyEnv, headers, models }: ProviderSettings,
): KnownProvider {
  return {
    ...preset,
    ...(baseUrl === undefined ? {} : { baseUrl: withoutSlash(baseUrl) }),
    ...(api === undefined ? {} : { api, apiAtHome: undefined }),
    ...(apiKeyEnv === undefined
      ? {}
      : { keyEnv: apiKeyEnv, otherKeyEnv: undefined }),
    ...(headers === undefined ? {} : { headers }),
    ...(models === undefined ? {} : { models }),
  };
}

function custom(name: string, settings: ProviderSettings): KnownProvider {
  const { baseUrl, api, apiKeyEnv, headers, models } = settings;
  if (baseUrl === undefined || api === undefined) {
    throw new UsageError(
      `Provider "${name}" of the settings needs "baseUrl" and "api"`,
    );
  }
  return {
    name,
    api,
    baseUrl: withoutSlash(baseUrl),
    keyEnv: apiKeyEnv ?? "",
    // A name may have characters that no variable has.
    baseUrlEnv: `${name.toUpperCase().replace(/\W/g, "_")}_BASE_URL`,
    needsKey: apiKeyEnv !== undefined,
    ...(headers ? { headers } : {}),
    ...(models ? { models } : {}),
    ...(models?.[0] ? { defaultModel: models[0].id } : {}),
  };
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, "");
}
