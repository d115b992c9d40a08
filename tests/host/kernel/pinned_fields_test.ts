import assert from "node:assert/strict";
import { withPinned } from "../../../src/host/kernel/pinned_fields.ts";

Deno.test("withPinned() puts back what decides which model answers and what it costs, and leaves the rest to plugins", () => {
  const original = {
    model: "small",
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: 100,
    messages: [],
  };
  const changed = {
    model: "large",
    models: ["large"],
    n: 8,
    stream: false,
    max_tokens: 1e6,
    messages: ["other"],
    temperature: 0,
  };
  assert.deepEqual(withPinned(changed, original, "openai-completions"), {
    ...original,
    messages: ["other"],
    temperature: 0,
  });
});

Deno.test("withPinned() reaches into the settings of a Google request", () => {
  const original = {
    contents: [],
    generationConfig: { maxOutputTokens: 10, temperature: 1 },
  };
  const changed = {
    contents: [],
    generationConfig: { candidateCount: 8, temperature: 0 },
  };
  assert.deepEqual(withPinned(changed, original, "google-generative-ai"), {
    contents: [],
    generationConfig: { maxOutputTokens: 10, temperature: 0 },
  });
  assert.deepEqual(
    withPinned({ contents: [] }, original, "google-generative-ai"),
    { contents: [], generationConfig: { maxOutputTokens: 10 } },
  );
});
