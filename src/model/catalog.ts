import type { Model } from "./model.ts";

/** Facts about a provider's model that are known before it is asked for anything. */
export interface CatalogEntry
  extends Pick<Model, "contextWindow" | "input" | "reasoning"> {
  /** Absent where the provider tells no limit of its own. */
  maxTokens?: number;
}

/** Models that differ in their names only. */
interface Family extends CatalogEntry {
  /** The whole id, without a date behind it. */
  ids: RegExp;
}

/** `2026-01-31`, `20260131`, `0131`, `001` or `latest` at the end of an id. */
const VERSION = /-(\d{4}-\d\d-\d\d|\d{8}|\d{3,4}|latest)$/;

const K = 1000;

/** A model that sees and thinks. */
function thinker(
  ids: RegExp,
  contextWindow: number,
  maxTokens?: number,
): Family {
  return {
    ids,
    contextWindow,
    ...(maxTokens === undefined ? {} : { maxTokens }),
    input: ["text", "image"],
    reasoning: true,
  };
}

const TEXT_ONLY = { input: ["text"] } satisfies Partial<Family>;
const PLAIN = { reasoning: false } satisfies Partial<Family>;

const GEMINI_WINDOW = 1_048_576;

/** By the provider that makes them; the first that fits counts. */
const FAMILIES = new Map<string, Family[]>([
  ["anthropic", [
    thinker(/^claude-(fable|mythos)-5(-1)?$/, 1000 * K, 128 * K),
    thinker(/^claude-opus-(4-[678]|5(-5)?)$/, 1000 * K, 128 * K),
    thinker(/^claude-sonnet-5$/, 1000 * K, 128 * K),
    thinker(/^claude-sonnet-4-6$/, 1000 * K, 64 * K),
    thinker(/^claude-(opus|sonnet|haiku)-4-5$/, 200 * K, 64 * K),
    thinker(/^claude-opus-4(-[01])?$/, 200 * K, 32 * K),
    thinker(/^claude-(sonnet-4(-0)?|3-7-sonnet)$/, 200 * K, 64 * K),
  ]],
  ["openai", [
    thinker(/^gpt-6-(astra|luna|sol)$/, 1050 * K, 128 * K),
    thinker(/^gpt-5\.6(-(luna|sol|terra|pro))?$/, 1050 * K, 128 * K),
    thinker(/^gpt-5\.[45](-pro)?$/, 1050 * K, 128 * K),
    { ...thinker(/^gpt-5(\.\d)?-chat$/, 128 * K, 16_384), ...PLAIN },
    { ...thinker(/^gpt-5\.3$/, 128 * K, 16_384), ...PLAIN },
    thinker(/^gpt-5(\.\d)?(-codex)?(-(mini|nano|pro|max))?$/, 400 * K, 128 * K),
    { ...thinker(/^gpt-4\.1(-(mini|nano))?$/, 1000 * K, 32_768), ...PLAIN },
    { ...thinker(/^(chat)?gpt-4o(-mini)?$/, 128 * K, 16_384), ...PLAIN },
    { ...thinker(/^gpt-4-turbo$/, 128 * K, 4096), ...PLAIN },
    { ...thinker(/^o3-mini$/, 200 * K, 100 * K), ...TEXT_ONLY },
    thinker(/^(o[134](-(mini|pro))?|codex-mini)$/, 200 * K, 100 * K),
  ]],
  ["google", [
    thinker(
      /^gemini-(2\.5|[3-9](\.\d)?)-(pro|flash|flash-lite)(-preview)?$/,
      GEMINI_WINDOW,
      65_536,
    ),
    {
      ...thinker(/^gemini-2\.0-flash(-lite)?$/, GEMINI_WINDOW, 8192),
      ...PLAIN,
    },
  ]],
  ["xai", [
    {
      ...thinker(/^grok-4(-1)?-fast-non-reasoning$/, 2000 * K),
      ...PLAIN,
    },
    thinker(/^grok-4(-1)?-fast(-reasoning)?$/, 2000 * K),
    thinker(/^grok-4\.(20(-multi-agent)?|3)$/, 1000 * K),
    thinker(/^grok-4\.[56]$/, 500 * K),
    thinker(/^grok-4$/, 256 * K),
    {
      ...thinker(/^grok-(code-fast-1|build-0\.1)$/, 256 * K),
      ...TEXT_ONLY,
    },
    { ...thinker(/^grok-3-mini(-fast)?$/, 131_072), ...TEXT_ONLY },
    { ...thinker(/^grok-3(-fast)?$/, 131_072), ...TEXT_ONLY, ...PLAIN },
  ]],
  ["deepseek", [
    { ...thinker(/^deepseek-v4-(flash|pro)$/, 1000 * K), ...TEXT_ONLY },
    { ...thinker(/^deepseek-reasoner$/, 128 * K, 65_536), ...TEXT_ONLY },
    { ...thinker(/^deepseek-chat$/, 128 * K, 8192), ...TEXT_ONLY, ...PLAIN },
    { ...thinker(/^deepseek-v3\.[12]/, 128 * K, 8192), ...TEXT_ONLY },
  ]],
  ["mistral", [
    { ...thinker(/^magistral-(medium|small)$/, 128 * K), ...TEXT_ONLY },
    { ...thinker(/^(codestral|devstral)/, 256 * K), ...TEXT_ONLY, ...PLAIN },
    { ...thinker(/^mistral-(large|medium|small)/, 128 * K), ...PLAIN },
    { ...thinker(/^ministral-\d+b$/, 128 * K), ...PLAIN },
  ]],
]);

/** The makers of models, where a router calls them by another name. */
const MAKERS: Record<string, string> = { "x-ai": "xai", mistralai: "mistral" };

/** True when the catalog means to know all models of a built-in provider that an agent would use. */
export function isCatalogued(provider: string): boolean {
  return FAMILIES.has(provider);
}

/**
 * Facts about a model of a built-in provider. A router's models are those
 * of their makers (`anthropic/claude-opus-4.5`), with what the router lets them
 * write unknown.
 */
export function catalogEntry(
  provider: string,
  id: string,
): CatalogEntry | undefined {
  if (provider === "openrouter") {
    const [maker = "", name = ""] = id.replace(/:[\w-]+$/, "").split("/");
    const found = catalogEntry(
      Object.hasOwn(MAKERS, maker) ? MAKERS[maker] as string : maker,
      maker === "anthropic" ? name.replaceAll(".", "-") : name,
    );
    if (!found) return undefined;
    const { maxTokens: _, ...entry } = found;
    return entry;
  }
  const families = FAMILIES.get(provider);
  const name = id.replace(VERSION, "");
  const family = families?.find(({ ids }) => ids.test(id) || ids.test(name));
  if (!family) return undefined;
  const { ids: _, ...entry } = family;
  return { ...entry, input: [...entry.input] };
}
