import assert from "node:assert/strict";
import { findPreset, presets } from "../../src/providers/presets.ts";

Deno.test("presets need a key over https, and none on this machine", () => {
  for (const preset of presets) {
    const url = new URL(preset.baseUrl);
    assert.equal(preset.needsKey, url.protocol === "https:", preset.name);
    assert.equal(preset.needsKey, url.hostname !== "127.0.0.1", preset.name);
    assert(!preset.baseUrl.endsWith("/"), preset.name);
    assert.equal(preset.keyEnv, `${preset.name.toUpperCase()}_API_KEY`);
    assert.equal(preset.baseUrlEnv, `${preset.name.toUpperCase()}_BASE_URL`);
  }
});

Deno.test("findPreset() knows names only, not what objects inherit", () => {
  assert.equal(findPreset("groq")?.name, "groq");
  assert.equal(findPreset("constructor"), undefined);
  assert.equal(findPreset("Groq"), undefined);
});
