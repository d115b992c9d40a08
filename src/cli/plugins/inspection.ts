import {
  type InspectedPlugin,
  inspectPlugins,
} from "../../host/inspect_plugins.ts";
import type { PluginPlaces } from "../../host/run_options.ts";
import { readConfiguration } from "../options/run_options.ts";
import type { Surroundings } from "../program.ts";
import { StoppedError, StopSignals } from "../stop_signals.ts";
import { terminalText } from "../terminal_text.ts";

/** The plugins that were loaded or failed, and the places where they were looked for. */
export interface Inspection {
  found: InspectedPlugin[];
  places: PluginPlaces | undefined;
}

/** Loads the plugins of a run in the current folder, or, as such a run would, others. Rejects with a `StoppedError` after a signal. */
export async function inspection(
  { console, env, kernel }: Surroundings,
  { paths, timeoutMs }: {
    /** The only ones that are looked at. */
    paths?: string[];
    /** For one import, and for one function. */
    timeoutMs: number | undefined;
  },
): Promise<Inspection> {
  const { options, warnings } = await readConfiguration({}, { env });
  if (!paths) warnings.forEach((warning) => console.warn(warning));
  const places = paths
    ? {
      paths,
      folders: [],
      isProjectTrusted: options.plugins?.isProjectTrusted ?? false,
    }
    : options.plugins;
  const signals = new StopSignals();
  try {
    const found = await inspectPlugins({
      ...options,
      prompt: "",
      updates: false,
      kernel,
      env,
      plugins: places,
      deadlineMs: timeoutMs,
    }, {
      log: (line) => console.stderr.write(`${terminalText(line)}\n`),
      stop: signals.signal,
    });
    if (signals.reason) {
      throw new StoppedError(
        signals.reason,
        "Stopped while plugins were loaded",
      );
    }
    return { found, places };
  } finally {
    signals.close();
  }
}
