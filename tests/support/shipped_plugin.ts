import {
  inPlace,
  type PlaceOptions,
  readRequest,
  type TauPlace,
} from "./tau_place.ts";
import type { TauRun } from "./tau_process.ts";

/** A place with one of the plugins that tau ships. */
export interface ShippedPluginPlace extends TauPlace {
  /** The path of the plugin. */
  plugin: string;
  /** Runs a prompt with the plugin; events on stdout. */
  prompt(...args: string[]): Promise<TauRun>;
  /** Results of calls as the model read them, those of the last request. */
  results(): string[];
}

/** Runs a test with `plugins/<name>`. */
export async function withShippedPlugin(
  name: string,
  options: PlaceOptions,
  test: (place: ShippedPluginPlace) => Promise<void>,
): Promise<void> {
  const plugin = new URL(`../../plugins/${name}`, import.meta.url).pathname;
  await inPlace(options, async (place) => {
    await test({
      ...place,
      plugin,
      prompt: (...args) =>
        place.ask([
          ...["--plugin", plugin, "--output-format", "stream-json"],
          ...["--max-retries", "0", ...args, "do it"],
        ]),
      results: () => readRequest(place.requests.at(-1)).said("tool"),
    });
  });
}
