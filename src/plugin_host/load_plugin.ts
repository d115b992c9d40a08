import type { PluginAPI, PluginFactory } from "../sdk/plugin_api.ts";
import { CallClock, PluginDeadlineError } from "./call_clock.ts";
import { explainImportError, placeOfError } from "./explain_import_error.ts";
import type { PluginSource } from "./find_plugins.ts";
import { PluginLoadError } from "./plugin_diagnostic.ts";
import {
  type PluginCopy,
  type PluginModules,
  readPluginModules,
} from "./plugin_modules.ts";
import { PluginRegistrations } from "./plugin_registrations.ts";
import { PluginScope } from "./plugin_scope.ts";

/** A plugin whose function has returned. */
export interface LoadedPlugin {
  source: PluginSource;
  scope: PluginScope;
  registrations: PluginRegistrations;
  /** The files that it was loaded from. */
  modules: PluginModules;
  /** Milliseconds for import and factory. */
  ms: number;
}

/** Options of {@linkcode importAndStart}. */
export interface LoadOptions {
  /** Makes what its function is given. */
  createApi(
    scope: PluginScope,
    registrations: PluginRegistrations,
  ): PluginAPI;
  /** Notes that its code runs; returns how to note that it is through. */
  enter(plugin: string): () => void;
  /** Its code is about to run for the first time. */
  watch(scope: PluginScope): void;
  /** Milliseconds for the import, and for the function. */
  deadlineMs: number;
}

/** A plugin whose module is there, or will not be. */
export interface ImportedPlugin {
  source: PluginSource;
  /** Calls its function. Rejects with a {@linkcode PluginLoadError}, with nothing left behind. */
  start(): Promise<LoadedPlugin>;
}

/** Imports a plugin, from its own files or from a copy. Imports may run side by side; functions are started one after the other. */
export function importAndStart(
  source: PluginSource,
  options: LoadOptions,
  copy?: PluginCopy,
): ImportedPlugin {
  const startMs = performance.now();
  const { entry, folder } = copy ?? source;
  const root = copy?.root ?? folder;
  const scope = new PluginScope({ ...source, folder }, root);
  options.watch(scope);
  const leave = options.enter(source.name);
  const importing = Promise.all([
    copy?.modules ?? readPluginModules(source),
    new CallClock(options.deadlineMs)
      .until(importPlugin({ entry, root })),
  ]).finally(leave).then(([modules, factory]) => ({
    modules,
    factory,
    ms: performance.now() - startMs,
  }));
  // Told of when it is started.
  importing.catch(() => {});
  return {
    source,
    async start() {
      const { modules, factory, ms } = await importing.catch((error) => {
        throw asLoadError(error, { what: "The import", scope });
      });
      const registrations = new PluginRegistrations();
      const startMs = performance.now();
      const leave = options.enter(source.name);
      try {
        const returned: unknown = factory(
          options.createApi(scope, registrations),
        );
        await new CallClock(options.deadlineMs).until(returned);
      } catch (error) {
        scope.revoke();
        throw asLoadError(error, { what: "Its function", scope });
      } finally {
        leave();
      }
      scope.open();
      return {
        source,
        scope,
        registrations,
        modules,
        ms: Math.round(ms + performance.now() - startMs),
      };
    },
  };
}

/** Loads a module, whose own modules lie below `root`, and returns its default export. Rejects with a {@linkcode PluginLoadError}. */
async function importPlugin(
  { entry, root }: { entry: string; root: string },
): Promise<PluginFactory> {
  let exports: Record<string, unknown>;
  try {
    exports = await import(fileUrl(entry));
  } catch (error) {
    throw explainImportError(error, { entry, root });
  }
  const factory = exports.default;
  if (typeof factory === "function") return factory as PluginFactory;
  const wanted =
    "a plugin is a file with `export default function (tau) { … }`";
  throw new PluginLoadError(
    factory === undefined
      ? `There is no default export: ${wanted}`
      : `The default export is not a function: ${wanted}`,
    { place: { file: entry } },
  );
}

/** The address of a file; its name may hold what means something in an address. */
function fileUrl(path: string): string {
  const parts = path.split("/").map(encodeURIComponent);
  return `file://${parts.join("/")}`;
}

function asLoadError(
  error: unknown,
  { what, scope }: { what: string; scope: PluginScope },
): PluginLoadError {
  const place = error instanceof PluginLoadError
    ? error.place
    : placeOfError(error, scope.root);
  const message = error instanceof PluginLoadError
    ? error.message
    : error instanceof PluginDeadlineError
    ? `${what} did not end: ${error.message}`
    : `${what} threw: ${messageOf(error)}`;
  return new PluginLoadError(
    message.replaceAll(scope.root, scope.ownPath(scope.root)),
    {
      place: place?.file === undefined
        ? {}
        : { ...place, file: scope.ownPath(place.file) },
      cause: error,
    },
  );
}

/** The text of a thrown value, whatever it is; never throws. */
export function messageOf(error: unknown): string {
  try {
    const text = error instanceof Error
      ? error.message || error.name
      : String(error);
    return `${text}`.slice(0, 4000) || "Unknown error";
  } catch {
    return "Unknown error";
  }
}
