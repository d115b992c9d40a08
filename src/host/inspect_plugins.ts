import type {
  PluginErrorEvent,
  PluginLoadedEvent,
} from "../protocol/documented_events.ts";
import type { RunEvent } from "../protocol/event_schemas.ts";
import type { SessionHeader } from "../session/session_entry.ts";
import { confinementOf } from "./confinement.ts";
import { NO_MODEL } from "./no_model.ts";
import { openOutputFolder } from "./output_folder.ts";
import { pluginsIn } from "./plugins_in.ts";
import { realFolder } from "./real_folder.ts";
import type { PluginPlaces, RunOptions } from "./run_options.ts";
import { RunRecord } from "./run_record.ts";
import { SessionHost } from "./session_host.ts";

/** Outcome of loading a plugin. */
export type InspectedPlugin =
  | Omit<PluginLoadedEvent, "type"> & { state: "loaded" }
  | Omit<PluginErrorEvent, "type"> & { state: "failed" };

/** Whom the inspection speaks with. */
export interface InspectionListener {
  /** A line that a plugin printed, or a warning. Not made safe for a terminal. */
  log(line: string): void;
  /** Aborted to stop it, with a `StopReason`. */
  stop: AbortSignal;
}

/** Milliseconds for one import, and for one function, as in a run. */
const DEADLINE_MS = 60_000;
/** A kernel may take so long to start on a busy machine. */
const MIN_HEARTBEAT_MS = 3000;
const MAX_HEARTBEAT_MS = 10_000;

/**
 * Loads plugins as a run with these options would, in a kernel of its own, and
 * tells how each came out. No handler of theirs is called, and no model. Where
 * the kernel dies of one, each is loaded in a kernel of its own. Rejects with a
 * `UsageError` for options that no run would take.
 */
export async function inspectPlugins(
  { deadlineMs = DEADLINE_MS, ...options }: RunOptions & {
    deadlineMs?: number | undefined;
  },
  listener: InspectionListener,
): Promise<InspectedPlugin[]> {
  const { plugins } = options;
  if (!plugins) return [];
  const inspect = (places: PluginPlaces) =>
    inspectIn({
      ...options,
      plugins: { ...places, inspection: { deadlineMs } },
      heartbeatMs: Math.min(
        MAX_HEARTBEAT_MS,
        Math.max(MIN_HEARTBEAT_MS, deadlineMs),
      ),
    }, listener);
  const { found, failure } = await inspect(plugins);
  if (failure === undefined) return found;
  const paths = [...plugins.paths, ...plugins.folders.flatMap(pluginsIn)];
  const [only, ...others] = paths;
  if (only === undefined) throw new Error(failure);
  if (others.length === 0) return [failedOf(only, failure)];
  const alone: InspectedPlugin[] = [];
  for (const path of paths) {
    if (listener.stop.aborted) break;
    const { found, failure } = await inspect({
      ...plugins,
      paths: [path],
      folders: [],
    });
    if (failure === undefined) alone.push(...found);
    else alone.push(failedOf(path, failure));
  }
  return alone;
}

async function inspectIn(
  options: RunOptions,
  { log, stop }: InspectionListener,
): Promise<{ found: InspectedPlugin[]; failure: string | undefined }> {
  const cwd = realFolder(options.cwd);
  const record = new RunRecord({ sessionId: crypto.randomUUID(), cwd });
  const confinement = confinementOf(options, cwd);
  const outputs = openOutputFolder(undefined);
  const found: InspectedPlugin[] = [];
  try {
    const server = new SessionHost(options, {
      listener: {
        emit: (event) => {
          const plugin = inspectedIn(event);
          if (plugin) note(found, plugin);
        },
        log,
        stop,
      },
      record,
      chosen: { model: NO_MODEL },
      source: () => new Promise(() => {}),
      outputDir: outputs.path,
      confinement,
    });
    try {
      server.start();
      await server.run(undefined, { record, stop });
    } finally {
      await server.close();
    }
  } finally {
    outputs.close();
  }
  return { found, failure: record.facts.kernelFailure };
}

/** Each plugin once: one that is loaded and then gets something wrong has failed. */
function note(found: InspectedPlugin[], plugin: InspectedPlugin): void {
  const at = found.findIndex(({ path }) => path === plugin.path);
  if (at === -1) found.push(plugin);
  else if (found[at]?.state === "loaded") found[at] = plugin;
}

function inspectedIn(
  event: SessionHeader | RunEvent,
): InspectedPlugin | undefined {
  if (event.type === "plugin_loaded") {
    const { type: _, ...loaded } = event;
    return { state: "loaded", ...loaded };
  }
  if (event.type !== "plugin_error") return undefined;
  const { type: _, ...failed } = event;
  return { state: "failed", ...failed };
}

function failedOf(path: string, message: string): InspectedPlugin {
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.[jt]s$/, "");
  return { state: "failed", name, path, message };
}
