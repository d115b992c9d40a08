import type { Api, Model } from "../model/model.ts";

/** A provider that is known without settings. */
export interface ProviderPreset {
  name: string;
  api: Api;
  /** The format at `baseUrl`; at other addresses it is `api`. Default: `api` everywhere. */
  apiAtHome?: Api;
  /** Without a slash at the end. */
  baseUrl: string;
  /** The variable that holds the key. */
  keyEnv: string;
  /** Another name of that variable, for people who have it already. */
  otherKeyEnv?: string;
  /** The variable that replaces `baseUrl`. */
  baseUrlEnv: string;
  /** False for servers on this machine. */
  needsKey: boolean;
  /** The command that starts a server on this machine. */
  startCommand?: string;
  /** The model's id when none was chosen. */
  defaultModel?: string;
  /** The name of the output limit where the server does not know `max_completion_tokens`. */
  maxTokensField?: "max_tokens";
  /** Length of a tool-call id, letters and digits only, where the server demands one. */
  toolCallIdLength?: number;
  /** True where `reasoning_effort` may be more than low, medium and high. */
  allReasoningLevels?: boolean;
  /** True where tools may be strict. */
  strictTools?: boolean;
}

const MAX_TOKENS = { maxTokensField: "max_tokens" } as const;

/** The built-in providers. */
export const presets: readonly ProviderPreset[] = [
  hosted("anthropic", "https://api.anthropic.com", {
    api: "anthropic-messages",
    defaultModel: "claude-sonnet-4-5",
    strictTools: true,
  }),
  hosted("openai", "https://api.openai.com/v1", {
    // Gives reasoning back from answer to answer, and knows models that the other format does not.
    apiAtHome: "openai-responses",
    defaultModel: "gpt-5.1",
    allReasoningLevels: true,
    strictTools: true,
  }),
  hosted("google", "https://generativelanguage.googleapis.com/v1beta", {
    api: "google-generative-ai",
    defaultModel: "gemini-3.8-flash",
    otherKeyEnv: "GEMINI_API_KEY",
  }),
  hosted("openrouter", "https://openrouter.ai/api/v1", {
    allReasoningLevels: true,
  }),
  hosted("groq", "https://api.groq.com/openai/v1"),
  hosted("deepseek", "https://api.deepseek.com/v1", MAX_TOKENS),
  hosted("mistral", "https://api.mistral.ai/v1", {
    ...MAX_TOKENS,
    toolCallIdLength: 9,
  }),
  hosted("xai", "https://api.x.ai/v1"),
  hosted("together", "https://api.together.xyz/v1", MAX_TOKENS),
  hosted("fireworks", "https://api.fireworks.ai/inference/v1", MAX_TOKENS),
  local("ollama", "http://127.0.0.1:11434/v1", "ollama serve"),
  local("lmstudio", "http://127.0.0.1:1234/v1", "lms server start"),
  local("llamacpp", "http://127.0.0.1:8080/v1", "llama-server -m MODEL.gguf"),
];

/** The built-in provider of a name. */
export function findPreset(name: string): ProviderPreset | undefined {
  return presets.find((preset) => preset.name === name);
}

/** The key that the environment has for a provider. */
export function keyOf(
  { keyEnv, otherKeyEnv }: Pick<ProviderPreset, "keyEnv" | "otherKeyEnv">,
  env: Record<string, string>,
): string | undefined {
  return env[keyEnv]?.trim() ||
    (otherKeyEnv && env[otherKeyEnv]?.trim()) || undefined;
}

/** The variables that may hold a provider's key, for people. */
export function keyNames(
  { keyEnv, otherKeyEnv }: Pick<ProviderPreset, "keyEnv" | "otherKeyEnv">,
): string {
  return otherKeyEnv ? `${keyEnv} or ${otherKeyEnv}` : keyEnv;
}

/** The built-in provider of a model at the provider's own address; undefined for another address, where anything may answer. */
export function presetAtHome(
  { provider, baseUrl }: Pick<Model, "provider" | "baseUrl">,
): ProviderPreset | undefined {
  const preset = findPreset(provider);
  return preset?.baseUrl === baseUrl ? preset : undefined;
}

function hosted(
  name: string,
  baseUrl: string,
  more: Partial<ProviderPreset> = {},
): ProviderPreset {
  return {
    name,
    api: "openai-completions",
    baseUrl,
    keyEnv: `${name.toUpperCase()}_API_KEY`,
    baseUrlEnv: `${name.toUpperCase()}_BASE_URL`,
    needsKey: true,
    ...more,
  };
}

function local(
  name: string,
  baseUrl: string,
  startCommand: string,
): ProviderPreset {
  return hosted(name, baseUrl, {
    ...MAX_TOKENS,
    needsKey: false,
    startCommand,
  });
}
