import assert from "node:assert/strict";
import { catalogEntry, isCatalogued } from "../../src/model/catalog.ts";

/** In one line: window, output, input, thinking. */
function known(provider: string, id: string): string {
  const entry = catalogEntry(provider, id);
  if (!entry) return "unknown";
  const { contextWindow, maxTokens = "-", input, reasoning } = entry;
  return [contextWindow, maxTokens, input.join("+"), reasoning].join(" ");
}

const KNOWN: [provider: string, id: string, entry: string][] = [
  ["anthropic", "claude-sonnet-4-5", "200000 64000 text+image true"],
  ["anthropic", "claude-sonnet-4-5-20250929", "200000 64000 text+image true"],
  ["anthropic", "claude-sonnet-4-20250514", "200000 64000 text+image true"],
  ["anthropic", "claude-opus-4-6", "1000000 128000 text+image true"],
  ["anthropic", "claude-sonet-4-5", "unknown"],
  ["openai", "gpt-5.1", "400000 128000 text+image true"],
  ["openai", "gpt-4o-2024-08-06", "128000 16384 text+image false"],
  ["openai", "gpt-5-chat-latest", "128000 16384 text+image false"],
  ["openai", "o3-mini", "200000 100000 text true"],
  ["openai", "text-embedding-3-small", "unknown"],
  ["google", "gemini-2.5-flash-lite", "1048576 65536 text+image true"],
  ["google", "gemini-3-pro-preview", "1048576 65536 text+image true"],
  ["google", "gemini-2.5-flash-image", "unknown"],
  ["xai", "grok-4-0709", "256000 - text+image true"],
  ["xai", "grok-4-fast-non-reasoning", "2000000 - text+image false"],
  ["deepseek", "deepseek-chat", "128000 8192 text false"],
  ["mistral", "devstral-2512", "256000 - text false"],
  ["openrouter", "anthropic/claude-opus-4.6", "1000000 - text+image true"],
  ["openrouter", "x-ai/grok-3:free", "131072 - text false"],
  ["openrouter", "openrouter/openrouter/openai/gpt-5", "unknown"],
  ["openrouter", "__proto__/x", "unknown"],
  ["ollama", "gpt-5.1", "unknown"],
  ["__proto__", "gpt-5.1", "unknown"],
];

for (const [provider, id, entry] of KNOWN) {
  Deno.test(`catalogEntry() says of ${provider}/${id}: ${entry}`, () => {
    assert.equal(known(provider, id), entry);
  });
}

Deno.test("catalogEntry() gives nobody an object that others have, too", () => {
  const [one, other] = [1, 2].map(() => catalogEntry("openai", "gpt-5.1"));
  one?.input.pop();
  assert.deepEqual(other?.input, ["text", "image"]);
});

Deno.test("isCatalogued() leaves out who serves the models of others", () => {
  assert.deepEqual(
    ["anthropic", "openai", "openrouter", "groq", "ollama"].map(isCatalogued),
    [true, true, false, false, false],
  );
});
