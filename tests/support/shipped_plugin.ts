import { type PluginPlace, withPluginPlace } from "./plugin_place.ts";
import type { RecordedRequest } from "./provider_double.ts";
import type { TauRun } from "./tau_process.ts";

/** A place with one of the plugins that tau ships. */
export interface ShippedPluginPlace extends PluginPlace {
  /** Where the plugin is. */
  plugin: string;
  /** Runs a prompt with the plugin; events on stdout. */
  prompt(...args: string[]): Promise<TauRun>;
  /** Results of calls as the model read them, those of the last request. */
  results(): string[];
}

/** Runs a test with `plugins/<name>`. */
export async function withShippedPlugin(
  name: string,
  place: Parameters<typeof withPluginPlace>[0],
  test: (place: ShippedPluginPlace) => Promise<void>,
): Promise<void> {
  const plugin = new URL(`../../plugins/${name}`, import.meta.url).pathname;
  await withPluginPlace(place, async (place) => {
    await test({
      ...place,
      plugin,
      prompt: (...args) =>
        place.tau([
          ...["--plugin", plugin, "--output-format", "stream-json"],
          ...["--max-retries", "0", ...args, "do it"],
        ]),
      results: () => resultsIn(place.double.requests.at(-1)),
    });
  });
}

/** Results of calls in a request of the completions format. */
export function resultsIn(request: RecordedRequest | undefined): string[] {
  const { messages = [] } = Object(request?.body) as {
    messages?: { role: string; content: unknown }[];
  };
  return messages.filter(({ role }) => role === "tool")
    .map(({ content }) => String(content));
}
