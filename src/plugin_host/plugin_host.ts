import type { PluginCommand, PluginFlag } from "../sdk/plugin_api.ts";
import type { AnyToolDefinition } from "../sdk/tool_definition.ts";
import { CallClock } from "./call_clock.ts";
import { createPluginApi } from "./create_plugin_api.ts";
import { EventBus } from "./event_bus.ts";
import { EventRunner } from "./event_runner.ts";
import { placeOfError } from "./explain_import_error.ts";
import {
  findPlugins,
  type PluginPlaces,
  type PluginSource,
} from "./find_plugins.ts";
import { importAndStart, type LoadOptions, messageOf } from "./load_plugin.ts";
import type { LoadedPlugin } from "./load_plugin.ts";
import { PluginCommandContextView } from "./plugin_context_view.ts";
import {
  type PluginDiagnostic,
  type PluginFault,
  PluginLoadError,
} from "./plugin_diagnostic.ts";
import { PluginHooks } from "./plugin_hooks.ts";
import {
  copyPluginModules,
  readPluginModules,
  removeCopy,
  sameModules,
} from "./plugin_modules.ts";
import { PluginScope } from "./plugin_scope.ts";
import type { PluginServices } from "./plugin_services.ts";
import { StrayErrors } from "./stray_errors.ts";
import {
  createPluginTool,
  type PluginTool,
  PluginTools,
} from "./plugin_tools.ts";

/** Options of a {@linkcode PluginHost}. */
export interface PluginHostOptions {
  places: PluginPlaces;
  services: PluginServices;
  /** Names of the tools that plugins replace only with `override`. */
  builtInTools: readonly string[];
  /** Values that the user gave to flags. Default none. */
  flagValues?: ReadonlyMap<string, boolean | string> | undefined;
  /** A private folder for what is loaded anew; it must exist when plugins are reloaded. */
  copies: string;
  /** Milliseconds for one import, and for one function. Default 60,000. */
  deadlineMs?: number | undefined;
  /** Milliseconds for one handler, and for one command. Default 60,000. */
  handlerDeadlineMs?: number | undefined;
  /** Called with the result of loading each plugin. */
  onDiagnostic(diagnostic: PluginDiagnostic): void;
  /** Called with each fault of a loaded plugin. */
  onFault(fault: PluginFault): void;
  /** The tools are others than before; told once plugins are loaded. */
  onTools(): void;
}

/** Names of plugins, by how they came out. */
export interface ReloadOutcome {
  loaded: string[];
  failed: string[];
}

const DEADLINE_MS = 60_000;
const MAX_FAULT = 4000;
/** Errors that nobody waited for; a timer can throw for ever. */
const MAX_STRAYS = 20;

/** The plugins of a session: found, loaded, run and loaded anew. */
export class PluginHost {
  readonly #options: PluginHostOptions;
  readonly #services: PluginServices;
  readonly #runner: EventRunner;
  readonly #bus: EventBus;
  readonly #loading: LoadOptions;
  readonly #strays = new StrayErrors();
  #strayCount = 0;
  #plugins: LoadedPlugin[] = [];
  /** True once loading has ended: later registrations are reported at once. */
  #isLoaded = false;
  #tools: PluginTools;
  /** The latest loading anew; the next one waits for it. */
  #reloading: Promise<unknown> = Promise.resolve();

  /** Asks the plugins' handlers about events of the session. */
  readonly hooks: PluginHooks;

  constructor(options: PluginHostOptions) {
    this.#options = options;
    const { flagValues = new Map() } = options;
    const services = this.#services = {
      ...options.services,
      enter: (plugin: string) => {
        const leaves = [
          this.#strays.enter(plugin),
          options.services.enter(plugin),
        ];
        return () => leaves.forEach((leave) => leave());
      },
    };
    const deadlineMs = options.handlerDeadlineMs ?? DEADLINE_MS;
    const report = (
      error: unknown,
      place: { scope: PluginScope; during: string },
    ) => options.onFault(faultOf(error, place));
    this.#runner = new EventRunner({ services, deadlineMs, report });
    this.#bus = new EventBus(report);
    this.hooks = new PluginHooks(this.#runner);
    this.#tools = this.#newTools();
    this.#loading = {
      deadlineMs: options.deadlineMs ?? DEADLINE_MS,
      enter: (plugin) => services.enter(plugin),
      watch: (scope) => this.#strays.watch(scope),
      createApi: (scope, registrations) =>
        createPluginApi({
          scope,
          registrations,
          services,
          bus: this.#bus,
          flagValues,
          onLateTool: () => this.#takeLateTools(),
          onLateWarning: (warning) => this.#tellLate(scope, warning),
          onChange: () => this.#runner.refresh(),
          onRejected: (error) => this.#strays.claim(error, scope),
        }),
    };
  }

  /** The same tool with the context that tools of plugins have: one of the program around the session. */
  ofProgram(definition: AnyToolDefinition): AnyToolDefinition {
    // Nobody is blamed for it.
    const services = { ...this.#services, enter: () => () => {} };
    const scope = new PluginScope({ name: "tau", entry: "", folder: "" }, "");
    scope.open();
    return createPluginTool({ definition }, {
      scope,
      services,
      runner: this.#runner,
    });
  }

  /** The tools of all plugins, in their order, each name once. */
  get tools(): readonly PluginTool[] {
    return this.#tools.all;
  }

  /** The commands of all plugins; where two have one of the same name, the first plugin's. */
  get commands(): ReadonlyMap<string, PluginCommand> {
    return firstOfEach(this.#plugins, ({ commands }) => commands);
  }

  /** The flags of all plugins. */
  get flags(): ReadonlyMap<string, PluginFlag> {
    return firstOfEach(this.#plugins, ({ flags }) => flags);
  }

  /** Loads all plugins: imports side by side, functions one after the other. Each ends as loaded or failed. */
  async load(): Promise<void> {
    const { sources, missing } = await findPlugins(this.#options.places);
    for (const { name, path, error } of missing) {
      this.#tellFailed({ name, path, ms: 0 }, error);
    }
    const imported = sources.map((source) =>
      importAndStart(source, this.#loading)
    );
    const taken = new Set<string>();
    for (const { source, start } of imported) {
      const startMs = performance.now();
      try {
        this.#add(await start(), taken);
      } catch (error) {
        const ms = Math.round(performance.now() - startMs);
        this.#tellFailed({ name: source.name, path: source.entry, ms }, error);
      }
    }
    this.#isLoaded = true;
  }

  /**
   * Loads what has changed anew: plugins whose files have another content, new
   * ones, and without those that are gone. One that cannot be loaded any more
   * stays as it was, and says so; its name is among those that failed.
   */
  reload(): Promise<ReloadOutcome> {
    const reloaded = this.#reloading.then(() => this.#reload());
    this.#reloading = reloaded.catch(() => {});
    return reloaded;
  }

  async #reload(): Promise<ReloadOutcome> {
    const { sources, missing } = await findPlugins(this.#options.places);
    for (const { name, path, error } of missing) {
      this.#tellFailed({ name, path, ms: 0 }, error);
    }
    const failed = missing.map(({ name }) => name);
    const before = this.#plugins;
    await this.hooks.notify({ type: "session_shutdown", reason: "reload" });
    this.#isLoaded = false;
    this.#plugins = [];
    this.#tools = this.#newTools();
    const taken = new Set<string>();
    for (const source of sources) {
      const old = before.find((one) => one.source.entry === source.entry);
      const isLoaded = await this.#loadAnew(source, { old, taken });
      if (!isLoaded) failed.push(source.name);
    }
    for (const old of before) {
      if (this.#plugins.includes(old)) continue;
      this.#unload(old);
      await removeCopy(old.scope.root, this.#options.copies);
    }
    this.#isLoaded = true;
    this.#runner.use(this.#plugins);
    this.#options.onTools();
    await this.hooks.notify({ type: "session_start", reason: "reload" });
    return { loaded: this.#plugins.map(({ source }) => source.name), failed };
  }

  /** Runs a command; false when there is none of that name. A failure is told and ends the command. */
  async runCommand(name: string, args: string): Promise<boolean> {
    const plugin = this.#plugins.find(({ registrations }) =>
      registrations.commands.has(name)
    );
    const command = plugin?.registrations.commands.get(name);
    if (!plugin || !command) return false;
    const services = this.#services;
    const { handlerDeadlineMs = DEADLINE_MS } = this.#options;
    const { scope } = plugin;
    const clock = new CallClock(handlerDeadlineMs);
    const leave = services.enter(scope.name);
    const ctx = new PluginCommandContextView({
      scope,
      services,
      clock,
      onPrompt: (kind, title) => this.#runner.prompt(kind, title),
    }, async () => {
      await this.reload();
    });
    try {
      await clock.until(command.handler(args, ctx));
    } catch (error) {
      this.#runner.report(error, { scope, during: `/${name}` });
    } finally {
      leave();
    }
    return true;
  }

  /** Takes an error that nobody waits for; false when there are no plugins that it could be of. Told of so many, and no more. */
  takeStray(error: unknown): boolean {
    const suspects = this.#strays.suspectsOf(error);
    const [first, ...others] = suspects;
    if (!first) return false;
    if (++this.#strayCount > MAX_STRAYS) return true;
    const during = "a promise that nobody awaits, or a timer";
    const fault = faultOf(error, { scope: first, during });
    this.#options.onFault({
      ...fault,
      plugin: [first, ...others].map(({ name }) => name).join(", "),
      message: `${fault.message}; await what it calls, or catch it${
        this.#strayCount === MAX_STRAYS ? "; further ones are not reported" : ""
      }`,
    });
    return true;
  }

  /** The last that plugins hear; what they were given works no more. */
  async close(): Promise<void> {
    await this.hooks.notify({ type: "session_shutdown", reason: "quit" });
    for (const plugin of this.#plugins) this.#unload(plugin);
  }

  async #loadAnew(
    source: PluginSource,
    { old, taken }: { old: LoadedPlugin | undefined; taken: Set<string> },
  ): Promise<boolean> {
    const startMs = performance.now();
    const { copies } = this.#options;
    let root = "";
    try {
      const modules = await readPluginModules(source);
      if (old && sameModules(modules, old.modules)) {
        this.#add(old, taken);
        return true;
      }
      const copy = await copyPluginModules(modules, source, copies);
      root = copy.root;
      const { start } = importAndStart(source, this.#loading, copy);
      this.#add(await start(), taken);
      return true;
    } catch (error) {
      await removeCopy(root, copies);
      const ms = Math.round(performance.now() - startMs);
      const { name, entry: path } = source;
      this.#tellFailed({ name, path, ms }, error, old && KEPT);
      if (old) this.#add(old, taken, { isTold: true });
      return false;
    }
  }

  /** Takes a plugin that is loaded; `taken` holds the names of commands, flags and tools of those before it. */
  #add(
    plugin: LoadedPlugin,
    taken: Set<string>,
    { isTold = false } = {},
  ): void {
    const { source, registrations, ms } = plugin;
    const warnings = [...registrations.warnings];
    this.#plugins.push(plugin);
    const tools = this.#tools.take(plugin, (text) => warnings.push(text));
    for (
      const [kind, names] of [
        ["command", registrations.commands],
        ["flag", registrations.flags],
      ] as const
    ) {
      for (const name of names.keys()) {
        if (taken.has(`${kind} ${name}`)) {
          warnings.push(
            `The ${kind} "${name}" is left out: a plugin before this one has it`,
          );
        }
        taken.add(`${kind} ${name}`);
      }
    }
    this.#runner.use(this.#plugins);
    if (isTold) return;
    this.#options.onDiagnostic({
      name: source.name,
      path: source.entry,
      state: "loaded",
      ms,
      tools,
      commands: [...registrations.commands.keys()],
      flags: [...registrations.flags.keys()],
      events: [...registrations.handlers.keys()],
      warnings,
    });
  }

  #newTools(): PluginTools {
    return new PluginTools(this.#options.builtInTools, {
      services: this.#services,
      runner: this.#runner,
    });
  }

  #takeLateTools(): void {
    if (!this.#isLoaded) return;
    const added = this.#plugins.flatMap((plugin) =>
      this.#tools.take(
        plugin,
        (message) =>
          this.#tellLate(plugin.scope, { during: "registerTool", message }),
      )
    );
    if (added.length > 0) this.#options.onTools();
  }

  #tellLate(
    { name: plugin, path }: PluginScope,
    warning: { during: string; message: string },
  ): void {
    this.#options.onFault({ plugin, path, ...warning });
  }

  #unload({ scope }: LoadedPlugin): void {
    scope.revoke();
    this.#bus.drop(scope);
  }

  #tellFailed(
    { name, path, ms }: { name: string; path: string; ms: number },
    error: unknown,
    note = "",
  ): void {
    const place = error instanceof PluginLoadError ? error.place : {};
    this.#options.onDiagnostic({
      name,
      path,
      state: "failed",
      ...place,
      reason: messageOf(error) + note,
      ms,
      tools: [],
      commands: [],
      flags: [],
      events: [],
      warnings: [],
    });
  }
}

const KEPT = "; the version that was loaded before stays active";

function faultOf(
  error: unknown,
  { scope, during }: { scope: PluginScope; during: string },
): PluginFault {
  const place = placeOfError(error, scope.root);
  const stack = error instanceof Error && typeof error.stack === "string"
    ? error.stack.slice(0, MAX_FAULT)
    : undefined;
  return {
    plugin: scope.name,
    path: scope.path,
    during,
    message: place?.file === undefined
      ? messageOf(error)
      : `${messageOf(error)} (${
        scope.ownPath(place.file)
      }:${place.line}:${place.column})`,
    ...(stack === undefined ? {} : { stack }),
  };
}

function firstOfEach<Value>(
  plugins: readonly LoadedPlugin[],
  pick: (
    registrations: LoadedPlugin["registrations"],
  ) => ReadonlyMap<string, Value>,
): ReadonlyMap<string, Value> {
  const all = new Map<string, Value>();
  for (const { registrations } of plugins) {
    for (const [name, value] of pick(registrations)) {
      if (!all.has(name)) all.set(name, value);
    }
  }
  return all;
}
