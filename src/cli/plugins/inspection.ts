import {
  type InspectedPlugin,
  inspectPlugins,
} from "../../host/inspect_plugins.ts";
import type { KernelProgram } from "../../host/kernel_process.ts";
import type { PluginPlaces } from "../../host/run.ts";
import type { Console } from "../console.ts";
import { readConfiguration } from "../read_configuration.ts";
import { StoppedError } from "../stoppable_source.ts";
import { StopSignals } from "../stop_signals.ts";
import { terminalText } from "../terminal_text.ts";

/** What the commands get from the composition root. */
export interface PluginSurroundings {
  console: Console;
  env: Record<string, string>;
  kernel: KernelProgram;
}

/** What became of the plugins, and where they were looked for. */
export interface Inspection {
  found: InspectedPlugin[];
  places: PluginPlaces | undefined;
}

/** Loads the plugins of a run in the current folder, or, as such a run would, others. Rejects with a `StoppedError` after a signal. */
export async function inspection(
  { console, env, kernel }: PluginSurroundings,
  { paths, timeoutMs }: {
    /** The only ones that are looked at. */
    paths?: string[];
    /** For one import, and for one function. */
    timeoutMs: number | undefined;
  },
): Promise<Inspection> {
  const { options, warnings } = await readConfiguration(
    { print: true, continue: false, fork: false, "no-session": true },
    { env, attachments: [] },
  );
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
      cwd: ".",
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
