import assert from "node:assert/strict";
import { completedCommands } from "../src/cli/completions/completed_commands.ts";
import { presets } from "../src/providers/presets.ts";
import { EXIT_CODES } from "../src/protocol/exit_codes.ts";
import { runEventSchema } from "../src/protocol/event_schemas.ts";
import { settingsSchema } from "../src/settings/settings.ts";

const DOCS = new URL("../docs/", import.meta.url);

/** Fails with those of the words that a page does not have. */
async function assertNamed(
  page: string,
  words: Iterable<string>,
): Promise<void> {
  const text = await Deno.readTextFile(new URL(page, DOCS));
  const missing = Array.from(words).filter((word) => !text.includes(word));
  assert.deepEqual(missing, [], page);
}

Deno.test("docs/command-line.md names every command, option and choice", async () => {
  const words = new Set<string>();
  for (const { name, options, words: places } of completedCommands()) {
    words.add(name === "" ? "`tau [options] [prompt…]`" : `### tau ${name}\n`);
    for (const place of places) words.add(place);
    for (const { long, short, offer } of options) {
      words.add(`\`--${long}`);
      if (short !== undefined) words.add(`\`-${short}`);
      if (!Array.isArray(offer)) continue;
      for (const choice of offer) words.add(`\`${choice}\``);
    }
  }
  await assertNamed("command-line.md", words);
});

Deno.test("docs/output.md names every status with its exit code, and every event", async () => {
  const page = await Deno.readTextFile(new URL("output.md", DOCS));
  const rows = new Set(
    page.split("\n").map((line) =>
      line.split("|").slice(1, 3).map((cell) => cell.trim()).join(" ")
    ),
  );
  const missing = Object.entries(EXIT_CODES)
    .map(([status, code]) => `${code} \`${status}\``)
    .filter((row) => !rows.has(row));
  assert.deepEqual(missing, []);
  const events = runEventSchema.anyOf.map(({ properties }) =>
    String(properties.type.const)
  );
  await assertNamed("output.md", events.map((event) => `\`${event}\``));
});

Deno.test("docs/settings.md and docs/models.md name every setting", async () => {
  const { providers, ...settings } = propertiesOf(settingsSchema);
  const words = Object.entries(settings).flatMap(([key, schema]) => {
    const inner = Object.keys(propertiesOf(schema));
    return inner.length === 0 ? [key] : inner.map((name) => `${key}.${name}`);
  });
  await assertNamed(
    "settings.md",
    [...words, "providers"].map((word) => `| \`${word}\``),
  );
  const { models, ...provider } = propertiesOf(
    (providers as { additionalProperties: object }).additionalProperties,
  );
  const { items } = models as { items: object };
  await assertNamed(
    "models.md",
    ["models", ...Object.keys(provider), ...Object.keys(propertiesOf(items))]
      .map((word) => `| \`${word}\``),
  );
});

Deno.test("docs/models.md names every built-in provider, its key, and where it is", async () => {
  await assertNamed(
    "models.md",
    presets.flatMap((preset) => {
      const { name, keyEnv, needsKey, startCommand, defaultModel } = preset;
      return [
        `| \`${name}\``,
        ...needsKey ? [`\`${keyEnv}\``] : [`\`${preset.baseUrl}\``],
        ...startCommand ? [`\`${startCommand}\``] : [],
        ...defaultModel ? [`\`${defaultModel}\``] : [],
      ];
    }),
  );
});

/** The members that a schema of an object describes. */
function propertiesOf(schema: object): Record<string, object> {
  return (schema as { properties?: Record<string, object> }).properties ?? {};
}
