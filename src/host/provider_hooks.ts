import { isGuardedHeader } from "../model/credential_header.ts";
import type { JsonObject } from "../model/content.ts";
import type { RequestHooks } from "../model/stream.ts";
import type { HostMessage, ProviderHook } from "../protocol/kernel_messages.ts";

/** Time for plugins at one step: that of their handlers, and then some. */
const LIMIT_MS = 600_000;

/** Shows requests to the plugins in the kernel. What comes back is not trusted. */
export class ProviderHooks {
  readonly #send: (message: HostMessage) => Promise<void>;
  readonly #waiting = new Map<number, (value?: JsonObject) => void>();
  #nextId = 0;

  constructor(send: (message: HostMessage) => Promise<void>) {
    this.#send = send;
  }

  /** The hooks of a request that wants these steps looked at. */
  for(wanted: readonly ProviderHook[], signal: AbortSignal): RequestHooks {
    const hooks: RequestHooks = {};
    if (wanted.includes("request")) {
      hooks.request = async (body) =>
        await this.#ask("request", body, signal) ?? body;
    }
    if (wanted.includes("headers")) {
      hooks.headers = async (headers) =>
        harmless(await this.#ask("headers", headers, signal));
    }
    if (wanted.includes("response")) {
      hooks.response = async ({ status, headers }) => {
        await this.#ask("response", { status, headers }, signal);
      };
    }
    return hooks;
  }

  /** The kernel's answer. */
  take(hookId: number, value: JsonObject | undefined): void {
    this.#waiting.get(hookId)?.(value);
  }

  async #ask(
    hook: ProviderHook,
    value: JsonObject,
    signal: AbortSignal,
  ): Promise<JsonObject | undefined> {
    signal.throwIfAborted();
    const hookId = this.#nextId++;
    const answered = Promise.withResolvers<JsonObject | undefined>();
    const onAbort = () => answered.reject(signal.reason);
    const timer = setTimeout(
      () => answered.reject(new Error("The plugins took too long")),
      LIMIT_MS,
    );
    signal.addEventListener("abort", onAbort, { once: true });
    this.#waiting.set(hookId, answered.resolve);
    try {
      await this.#send({ type: "provider_hook", hookId, hook, value });
      return await answered.promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      this.#waiting.delete(hookId);
    }
  }
}

function harmless(
  headers: JsonObject | undefined,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (typeof value === "string" && !isGuardedHeader(name)) kept[name] = value;
  }
  return kept;
}
