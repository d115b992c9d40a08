import type { JsonObject } from "../model/content.ts";
import type { RequestHooks, StreamFn } from "../model/stream.ts";
import type { ProviderHook } from "../protocol/kernel_messages.ts";
import type { KernelMessage } from "../protocol/kernel_schemas.ts";
import type {
  PluginRunEvent,
  ToolDeniedEvent,
} from "../protocol/documented_events.ts";
import type {
  PluginFetchOptions,
  PluginFetchResult,
} from "../sdk/plugin_api.ts";
import type { PluginDialog, PluginDialogAnswer } from "../sdk/plugin_ui.ts";
import type {
  SessionEvent,
  SessionEventSink,
} from "../session/session_event.ts";
import type { SessionChannel } from "./session_channel.ts";

/** Options of the channel of a session in one's own process. */
export interface LocalServices {
  /** Answers the session's requests. */
  streamModel: StreamFn;
  /** Asks the user; undefined when nobody answers. Absent where nobody can be asked. */
  ask?(
    dialog: PluginDialog,
    signal?: AbortSignal,
  ): Promise<PluginDialogAnswer>;
  /** Asks a server for a plugin. Absent where plugins have no network. */
  fetch?(url: string, options: PluginFetchOptions): Promise<PluginFetchResult>;
  /** Ends every process with `TAU_CALL=marker` in its environment. Default: a command that left its process group outlives its call. */
  killCall?(marker: string): Promise<void>;
}

/** Event of a session in one's own process, messages included. */
export type LocalSessionEvent = SessionEvent | PluginRunEvent | ToolDeniedEvent;

/** Hears what happens; awaited. */
export type LocalSessionListener = (
  event: LocalSessionEvent,
) => void | Promise<void>;

/** Serves a session in the process that it was made in, with no host. */
export class LocalChannel implements SessionChannel {
  readonly #services: LocalServices;
  readonly #hear: LocalSessionListener;
  #hooks: RequestHooks | undefined;
  /** Nobody watches this process from outside. */
  readonly token = undefined;
  readonly sessionFile = undefined;

  constructor(services: LocalServices, hear: LocalSessionListener) {
    this.#services = services;
    this.#hear = hear;
  }

  async send(message: KernelMessage): Promise<void> {
    // What is counted or asked for of a host has nobody to hear it here.
    if (message.type !== "event") return;
    await this.#hear(message.event as LocalSessionEvent);
  }

  emitter(): SessionEventSink {
    return (event) => this.#hear(event);
  }

  readonly streamModel: StreamFn = (model, context, options) =>
    this.#services.streamModel(model, context, {
      ...options,
      ...(this.#hooks ? { hooks: this.#hooks } : {}),
    });

  async ask(
    dialog: PluginDialog,
    signal?: AbortSignal,
  ): Promise<PluginDialogAnswer> {
    return await this.#services.ask?.(dialog, signal);
  }

  async fetch(
    url: string,
    options: PluginFetchOptions,
  ): Promise<PluginFetchResult> {
    const { fetch } = this.#services;
    if (!fetch) throw new Error("Plugins have no network in this session");
    return await fetch(url, options);
  }

  async killCall(marker: string): Promise<void> {
    await this.#services.killCall?.(marker);
  }

  recordedResult(): Promise<never> {
    return Promise.reject(new Error("There is no recording"));
  }

  hookProvider(hooks: Parameters<SessionChannel["hookProvider"]>[0]): void {
    const run = async (
      hook: ProviderHook,
      value: JsonObject,
    ): Promise<JsonObject | undefined> =>
      hooks.wanted().includes(hook) ? await hooks.run(hook, value) : undefined;
    this.#hooks = {
      request: async (body) => await run("request", body) ?? body,
      headers: async (headers) =>
        (await run("headers", headers) ?? {}) as Record<string, string>,
      response: async (answer) => {
        await run("response", { ...answer });
      },
    };
  }
}
