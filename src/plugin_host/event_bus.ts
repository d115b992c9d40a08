import type { PluginEventBus } from "../sdk/plugin_api.ts";
import type { PluginScope } from "./plugin_scope.ts";

interface Listener {
  scope: PluginScope;
  hear(data: unknown): void;
}

/** Listeners of one channel; more is a leak. */
const MAX_LISTENERS = 1000;

/** Lets plugins speak with each other. What a plugin listened to ends with it. */
export class EventBus {
  readonly #channels = new Map<string, readonly Listener[]>();
  readonly #report: (
    error: unknown,
    place: { scope: PluginScope; during: string },
  ) => void;

  constructor(
    report: (
      error: unknown,
      place: { scope: PluginScope; during: string },
    ) => void,
  ) {
    this.#report = report;
  }

  /** The bus as one plugin has it. */
  for(scope: PluginScope): PluginEventBus {
    return {
      on: (channel, hear) => {
        scope.assertAlive();
        if (typeof hear !== "function") {
          throw new TypeError("events.on needs a function");
        }
        return this.#add(String(channel), { scope, hear });
      },
      emit: (channel, data) => {
        scope.assertAlive();
        this.#emit(String(channel), data);
      },
    };
  }

  /** Forgets what a plugin listened to. */
  drop(scope: PluginScope): void {
    for (const [channel, listeners] of this.#channels) {
      this.#channels.set(
        channel,
        listeners.filter((listener) => listener.scope !== scope),
      );
    }
  }

  #add(channel: string, listener: Listener): () => void {
    const listeners = this.#channels.get(channel) ?? [];
    if (listeners.length >= MAX_LISTENERS) {
      throw new RangeError(
        `The channel ${JSON.stringify(channel)} has ${MAX_LISTENERS} listeners`,
      );
    }
    this.#channels.set(channel, [...listeners, listener]);
    return () => {
      const left = this.#channels.get(channel) ?? [];
      this.#channels.set(channel, left.filter((one) => one !== listener));
    };
  }

  #emit(channel: string, data: unknown): void {
    for (const { scope, hear } of this.#channels.get(channel) ?? []) {
      const during = `events ${JSON.stringify(channel)}`;
      try {
        const heard: unknown = hear(data);
        if (heard instanceof Promise) {
          heard.catch((error) => this.#report(error, { scope, during }));
        }
      } catch (error) {
        this.#report(error, { scope, during });
      }
    }
  }
}
