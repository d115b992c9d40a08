import { type Model, ModelError, type ThinkingLevel } from "../model/mod.ts";
import { findPreset, presets, type ProviderPreset } from "../providers/mod.ts";
import { UsageError } from "./usage_error.ts";

/** A model, and the key that goes with it. */
export interface ChosenModel {
  model: Model;
  apiKey?: string;
  thinkingLevel?: Exclude<ThinkingLevel, "off">;
}

const THINKING_LEVELS: ReadonlySet<string> = new Set<ThinkingLevel>([
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
 * {@linkcode ModelError} of kind `auth` when there is no key to use. Where
 * `needsKey` is false, because somebody else has the keys, a name must be given.
 */
export function chooseModel(
  name: string | undefined,
  env: Record<string, string>,
  { needsKey = true }: { needsKey?: boolean } = {},
): ChosenModel {
  if (name === undefined) {
    if (!needsKey) {
      throw new UsageError(
        "Which model? A proxy has the keys, so that none can be chosen by them; name one with --model",
      );
    }
    const preset = presets.find((preset) =>
      preset.defaultModel && keyOf(preset, env)
    );
    if (!preset) throw noModel();
    return choose(preset, preset.defaultModel as string, { env, needsKey });
  }
  const slash = name.indexOf("/");
  const provider = slash > 0 ? findPreset(name.slice(0, slash)) : undefined;
  if (provider) {
    return choose(provider, name.slice(slash + 1), { env, needsKey });
  }
  if (slash > 0) {
    throw new UsageError(
      `Unknown provider "${
        name.slice(0, slash)
      }" in model "${name}"; known are ${
        presets.map((preset) => preset.name).join(", ")
      }`,
    );
  }
  return choose(guessProvider(name, env), name, { env, needsKey });
}

function choose(
  preset: ProviderPreset,
  idWithLevel: string,
  { env, needsKey }: { env: Record<string, string>; needsKey: boolean },
): ChosenModel {
  const { id, thinkingLevel } = splitLevel(idWithLevel);
  if (id === "") {
    throw new UsageError(
      `No model id after "${preset.name}/"; give one, such as ${preset.name}/${
        preset.defaultModel ?? "some-model"
      }`,
    );
  }
  const apiKey = keyOf(preset, env);
  if (needsKey && preset.needsKey && !apiKey) {
    throw new ModelError(
      "auth",
      `No API key for ${preset.name}: set ${preset.keyEnv}`,
    );
  }
  return {
    model: toModel(preset, id, {
      baseUrl: env[preset.baseUrlEnv]?.replace(/\/+$/, "") || preset.baseUrl,
      reasoning: thinkingLevel !== undefined,
    }),
    ...(apiKey ? { apiKey } : {}),
    ...(thinkingLevel ? { thinkingLevel } : {}),
  };
}

function toModel(
  { name: provider, api }: ProviderPreset,
  id: string,
  { baseUrl, reasoning }: Pick<Model, "baseUrl" | "reasoning">,
): Model {
  return {
    id,
    name: id,
    api,
    provider,
    baseUrl,
    input: ["text", "image"],
    reasoning,
    contextWindow: api === "anthropic-messages" ? 200_000 : 128_000,
    maxTokens: maxTokensOf(id),
  };
}

/** Output limits of the models that are known to take less, or more, than 16k tokens. */
function maxTokensOf(id: string): number {
  if (/^claude-3-(opus|haiku|sonnet)/.test(id)) return 4096;
  if (/^claude-3-5/.test(id)) return 8192;
  if (/^claude-/.test(id)) return 32_000;
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
  env: Record<string, string>,
): ProviderPreset {
  const byName = /^claude/.test(id)
    ? "anthropic"
    : /^(gpt|o\d|chatgpt|codex)/.test(id)
    ? "openai"
    : undefined;
  const preset = byName
    ? findPreset(byName)
    : presets.find((preset) => preset.needsKey && keyOf(preset, env));
  if (preset) return preset;
  throw new UsageError(
    `Cannot tell the provider of model "${id}"; name it, as in openrouter/${id} or ollama/${id}`,
  );
}

function keyOf(
  preset: ProviderPreset,
  env: Record<string, string>,
): string | undefined {
  return env[preset.keyEnv]?.trim() || undefined;
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
