import type {
  PluginEvent,
  PluginEventName,
  PluginEvents,
} from "../sdk/plugin_events.ts";
import { CallClock } from "./call_clock.ts";
import type { LoadedPlugin } from "./load_plugin.ts";
import { PluginContextView } from "./plugin_context_view.ts";
import type { AnyHandler } from "./plugin_registrations.ts";
import type { PluginScope } from "./plugin_scope.ts";
import type { PluginServices } from "./plugin_services.ts";

/** One handler of an event. */
export interface BoundHandler {
  scope: PluginScope;
  handler: AnyHandler;
}

/** Options of an {@linkcode EventRunner}. */
export interface EventRunnerOptions {
  services: PluginServices;
  /** Milliseconds for one handler. */
  deadlineMs: number;
  /** Tells of a handler that failed. */
  report(
    error: unknown,
    place: { scope: PluginScope; during: string },
  ): void;
}

/** Runs the handlers of plugins, one after the other, each with its deadline. */
export class EventRunner {
  readonly #options: EventRunnerOptions;
  #plugins: readonly LoadedPlugin[] = [];
  readonly #lists = new Map<PluginEventName, readonly BoundHandler[]>();

  constructor(options: EventRunnerOptions) {
    this.#options = options;
  }

  /** Sets the plugins whose handlers run, in their order. */
  use(plugins: readonly LoadedPlugin[]): void {
    this.#plugins = plugins;
    this.#lists.clear();
  }

  /** A plugin has registered another handler. */
  refresh(): void {
    this.#lists.clear();
  }

  /** True when a handler listens. */
  has(event: PluginEventName): boolean {
    return this.handlersOf(event).length > 0;
  }

  /** The handlers of now; the list does not change later. */
  handlersOf(event: PluginEventName): readonly BoundHandler[] {
    let list = this.#lists.get(event);
    if (!list) {
      list = this.#plugins.flatMap(({ scope, registrations }) =>
        (registrations.handlers.get(event) ?? []).map((handler) => ({
          scope,
          handler,
        }))
      );
      this.#lists.set(event, list);
    }
    return list;
  }

  /** Tells everybody who listens; what they return means nothing. Each gets a copy of its own. */
  async notify(event: PluginEvent): Promise<void> {
    for (const bound of this.handlersOf(event.type)) {
      await this.attempt(bound, copyOf(event));
    }
  }

  /** Runs a handler and returns its answer; undefined when it fails, which is reported. */
  async attempt(
    bound: BoundHandler,
    event: PluginEvent,
  ): Promise<unknown> {
    try {
      return await this.run(bound, event);
    } catch (error) {
      this.report(error, { scope: bound.scope, during: event.type });
      return undefined;
    }
  }

  /** Runs a handler and returns its answer. Rejects with what it throws, and when its time is over. */
  async run(
    { scope, handler }: BoundHandler,
    event: PluginEvent,
  ): Promise<unknown> {
    const { services, deadlineMs } = this.#options;
    // Unloaded while the list was run through.
    if (!scope.isReady) return undefined;
    const clock = new CallClock(deadlineMs);
    const leave = services.enter(scope.name);
    try {
      const ctx = new PluginContextView({
        scope,
        services,
        clock,
        onPrompt: (kind, title) => this.#prompt(kind, title, event.type),
      });
      return await clock.until(handler(event, ctx));
    } finally {
      leave();
    }
  }

  /** Tells of something that a plugin got wrong. */
  report(
    error: unknown,
    place: { scope: PluginScope; during: string },
  ): void {
    this.#options.report(error, place);
  }

  /** Tells of a question, and returns how to tell that it is over. */
  prompt(
    kind: PluginEvents["ui_prompt_start"]["kind"],
    title: string,
  ): Promise<() => void> {
    return this.#prompt(kind, title, undefined);
  }

  async #prompt(
    kind: PluginEvents["ui_prompt_start"]["kind"],
    title: string,
    during: PluginEventName | undefined,
  ): Promise<() => void> {
    // A handler of these events that asks would tell of itself for ever.
    if (during === "ui_prompt_start" || during === "ui_prompt_end") {
      return () => {};
    }
    await this.notify({ type: "ui_prompt_start", kind, title });
    return () => {
      this.notify({ type: "ui_prompt_end", kind, title });
    };
  }
}

/** A copy that a handler may do with what it wants. */
export function copyOf<Value>(value: Value): Value {
  try {
    return structuredClone(value);
  } catch {
    // Something in it is no data, such as a function in a tool's details.
    return JSON.parse(JSON.stringify(value));
  }
}
