import {
  type CatalogEntry,
  catalogEntry,
  isCatalogued,
} from "../model/catalog.ts";
import type { Model, ThinkingLevel } from "../model/model.ts";
import { ModelError } from "../model/model_error.ts";
import { nearestKey } from "../model/nearest_key.ts";
import { keyNames, keyOf, presetAtHome } from "../providers/presets.ts";
import type { ModelSettings, ProviderSettings } from "../settings/settings.ts";
import { UsageError } from "../settings/usage_error.ts";
import { type KnownProvider, knownProviders } from "./known_providers.ts";

/** A model, and the key that goes with it. */
export interface ChosenModel {
  model: Model;
  apiKey?: string;
  thinkingLevel?: Exclude<ThinkingLevel, "off">;
  /** A line for stderr. */
  warning?: string;
}

/** Keys, and providers of the settings. */
export interface ModelChoice {
  /** False where somebody else has the keys: then a name must be given. Default true. */
  needsKey?: boolean | undefined;
  providers?: Record<string, ProviderSettings> | undefined;
}

/** All levels of thinking, from none to the most. */
export const THINKING_LEVELS: ReadonlySet<string> = new Set<ThinkingLevel>([
  "off",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
]);

/**
 * The model that `name` asks for (`provider/id`, `id`, either with
 * `:thinking`), or the default model of the first provider that has a key.
 *
 * Throws {@linkcode UsageError} for a name that fits no provider, and a
 * {@linkcode ModelError} of kind `auth` when there is no key to use.
 */
export function chooseModel(
  name: string | undefined,
  env: Record<string, string>,
  { needsKey = true, providers }: ModelChoice = {},
): ChosenModel {
  const known = knownProviders(providers);
  if (name === undefined) {
    if (!needsKey) {
      throw new UsageError(
        "Name a model with --model: behind a proxy tau has no keys to choose one by",
      );
    }
    const provider = known.find((provider) =>
      provider.defaultModel && keyOf(provider, env)
    );
    if (!provider) throw noModel();
    return choose(provider, provider.defaultModel as string, { env, needsKey });
  }
  const slash = name.indexOf("/");
  const prefix = slash > 0 ? name.slice(0, slash) : undefined;
  const provider = known.find((provider) => provider.name === prefix);
  if (provider) {
    return choose(provider, name.slice(slash + 1), { env, needsKey });
  }
  const owner = known.find(({ models }) =>
    models?.some(({ id }) => id === name || id === splitLevel(name).id)
  );
  if (prefix !== undefined && !owner) {
    const names = known.map((provider) => provider.name);
    const nearest = nearestKey(prefix, names);
    throw new UsageError(
      `Unknown provider "${prefix}" in model "${name}"; ${
        nearest === undefined
          ? `known are ${names.join(", ")}`
          : `did you mean ${nearest}${name.slice(slash)}`
      }`,
    );
  }
  return choose(owner ?? guessProvider(name, { known, env }), name, {
    env,
    needsKey,
  });
}

function choose(
  provider: KnownProvider,
  idWithLevel: string,
  { env, needsKey }: { env: Record<string, string>; needsKey: boolean },
): ChosenModel {
  const isListed = (wanted: string) =>
    provider.models?.find(({ id }) => id === wanted);
  // An id of the settings may end like a level.
  const { id, thinkingLevel } = isListed(idWithLevel)
    ? { id: idWithLevel }
    : splitLevel(idWithLevel);
  if (id === "") {
    throw new UsageError(
      `No model id after "${provider.name}/"; give one, such as ${provider.name}/${
        provider.defaultModel ?? "some-model"
      }`,
    );
  }
  const apiKey = keyOf(provider, env);
  if (needsKey && provider.needsKey && !apiKey) {
    throw new ModelError(
      "auth",
      `No API key for ${provider.name}: set ${keyNames(provider)}`,
    );
  }
  const model = toModel(provider, {
    reasoning: thinkingLevel !== undefined,
    ...catalogued(provider.name, id),
    ...isListed(id),
    id,
  }, {
    baseUrl: baseUrlOf(provider, env),
  });
  const warning = warningOf(model, { provider, thinkingLevel });
  return {
    model,
    ...(apiKey ? { apiKey } : {}),
    ...(thinkingLevel ? { thinkingLevel } : {}),
    ...(warning === undefined ? {} : { warning }),
  };
}

/** Share of the window at most; the rest is for the conversation, which some providers count together with the room for the answer. */
const ANSWER_SHARE = 0.16;

function catalogued(
  provider: string,
  id: string,
): CatalogEntry | undefined {
  const entry = catalogEntry(provider, id);
  if (!entry?.maxTokens) return entry;
  const room = Math.floor(entry.contextWindow * ANSWER_SHARE);
  return { ...entry, maxTokens: Math.min(entry.maxTokens, room) };
}

function warningOf(
  model: Model,
  { provider: { name, models }, thinkingLevel }:
    & { provider: KnownProvider }
    & Pick<ChosenModel, "thinkingLevel">,
): string | undefined {
  const { id, reasoning } = model;
  const isListed = models?.some((listed) => listed.id === id);
  if (isListed || catalogEntry(name, id)) {
    return thinkingLevel && !reasoning
      ? `${name}/${id} has no thinking levels, so ":${thinkingLevel}" has no effect`
      : undefined;
  }
  if (models) {
    return `The settings list no model "${id}" for ${name}; it is used as given`;
  }
  // Behind another address there may be anything.
  return isCatalogued(name) && presetAtHome(model)
    ? `tau knows no model "${id}" of ${name}; it is used as given`
    : undefined;
}

function baseUrlOf(
  { name, baseUrl, baseUrlEnv }: KnownProvider,
  env: Record<string, string>,
): string {
  const chosen = env[baseUrlEnv]?.replace(/\/+$/, "") || baseUrl;
  // The path of a request is put behind it. Not quoted: it may hold a key.
  if (/[?#]/.test(chosen)) {
    throw new UsageError(
      `The base URL of ${name} must not have a "?" or a "#"`,
    );
  }
  return chosen;
}

function toModel(
  { name: provider, api, apiAtHome, headers }: KnownProvider,
  { id, name, input, reasoning, contextWindow, maxTokens, cost }:
    & ModelSettings
    & Pick<Model, "reasoning">,
  { baseUrl }: Pick<Model, "baseUrl">,
): Model {
  const isAtHome = presetAtHome({ provider, baseUrl }) !== undefined;
  return {
    id,
    name: name ?? id,
    api: isAtHome && apiAtHome ? apiAtHome : api,
    provider,
    baseUrl,
    input: input ?? ["text", "image"],
    reasoning,
    contextWindow: contextWindow ?? CONTEXT_WINDOWS[api] ?? 128_000,
    maxTokens: maxTokens ?? maxTokensOf(id),
    // A cache that has no price of its own costs what input costs.
    ...(cost
      ? { cost: { cacheRead: cost.input, cacheWrite: cost.input, ...cost } }
      : {}),
    ...(headers ? { headers } : {}),
  };
}

const CONTEXT_WINDOWS: Partial<Record<Model["api"], number>> = {
  "anthropic-messages": 200_000,
  "google-generative-ai": 1_048_576,
};

/** Output limits of models that the catalog does not have. */
function maxTokensOf(id: string): number {
  if (/^claude-3-(opus|haiku|sonnet)/.test(id)) return 4096;
  if (/^claude-3-5/.test(id)) return 8192;
  if (/^claude-/.test(id)) return 32_000;
  if (/^gemini-(?![12]\b)/.test(id)) return 65_536;
  return 16_384;
}

/** `id:high` asks for thinking; in `qwen3:8b` the colon belongs to the id. */
function splitLevel(
  text: string,
): { id: string; thinkingLevel?: Exclude<ThinkingLevel, "off"> } {
  const colon = text.lastIndexOf(":");
  const level = text.slice(colon + 1);
  if (colon === -1 || !THINKING_LEVELS.has(level)) return { id: text };
  const id = text.slice(0, colon);
  return level === "off"
    ? { id }
    : { id, thinkingLevel: level as Exclude<ThinkingLevel, "off"> };
}

function guessProvider(
  id: string,
  { known, env }: { known: KnownProvider[]; env: Record<string, string> },
): KnownProvider {
  const byName = /^claude/.test(id)
    ? "anthropic"
    : /^gemini/.test(id)
    ? "google"
    : /^(gpt|o\d|chatgpt|codex)/.test(id)
    ? "openai"
    : undefined;
  const provider = byName
    ? known.find(({ name }) => name === byName)
    : known.find((provider) => provider.needsKey && keyOf(provider, env));
  if (provider) return provider;
  throw new UsageError(
    `Cannot tell the provider of model "${id}"; name it, as in openrouter/${id} or ollama/${id}`,
  );
}

function noModel(): ModelError {
  return new ModelError(
    "auth",
    [
      "No model and no API key.",
      "Set ANTHROPIC_API_KEY or OPENAI_API_KEY, or name a model of a local server: --model ollama/qwen3",
      "To see tau at work without either, run: tau demo",
    ].join("\n"),
  );
}
