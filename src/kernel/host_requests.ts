import type { AgentToolResult } from "../agent/agent_tool.ts";
import type { JsonObject, JsonValue } from "../model/content.ts";
import type { NestedCall } from "../plugin_host/plugin_services.ts";
import type { DialogAnswer, HostMessage } from "../protocol/kernel_messages.ts";
import type { Dialog, KernelMessageOf } from "../protocol/kernel_protocol.ts";
import type {
  PluginFetchOptions,
  PluginFetchResult,
} from "../sdk/plugin_api.ts";
import { hostFetch } from "./host_fetch.ts";

type Request = KernelMessageOf<"request">;

/** A request before it has its number. */
type Wanted = Request extends infer One
  ? One extends Request ? Omit<One, "type" | "requestId"> : never
  : never;

interface OpenRequest {
  settled: PromiseWithResolvers<JsonValue | undefined>;
  onProgress?: ((result: AgentToolResult) => void) | undefined;
}

/** Requests of a kernel to its host, until each has its reply. */
export class HostRequests {
  readonly #send: (
    message: Request | KernelMessageOf<"retract">,
  ) => Promise<void>;
  readonly #open = new Map<number, OpenRequest>();
  #nextId = 0;
  #isGone = false;

  constructor(
    send: (message: Request | KernelMessageOf<"retract">) => Promise<void>,
  ) {
    this.#send = send;
  }

  /** Asks the user; undefined when the question is dismissed, or the signal aborts. */
  async dialog(dialog: Dialog, signal?: AbortSignal): Promise<DialogAnswer> {
    if (signal?.aborted) return undefined;
    try {
      const wanted = { kind: "dialog", dialog } as const;
      return await this.#request(wanted, { signal }) as DialogAnswer;
    } catch {
      return undefined;
    }
  }

  /** Has the host ask a server for a plugin. */
  async fetch(
    url: string,
    options: PluginFetchOptions,
  ): Promise<PluginFetchResult> {
    return await hostFetch(
      url,
      options,
      async (request) =>
        await this.#request({ kind: "fetch", request }) as JsonObject,
    );
  }

  /** Has the host end the processes of one shell call. */
  async kill(marker: string): Promise<void> {
    await this.#request({ kind: "kill", marker });
  }

  /** Has the host run a call of another tool. */
  async call(
    { parentToolCallId, toolName, args, signal, onUpdate }: NestedCall,
  ): Promise<AgentToolResult> {
    try {
      JSON.stringify(args);
    } catch (error) {
      // Text that is not JSON fails as any wrong argument does.
      const text = `The arguments cannot be written as JSON: ${error}`;
      return { content: [{ type: "text", text }], isError: true };
    }
    const result = await this.#request({
      kind: "call",
      parent: parentToolCallId,
      tool: toolName,
      args,
      hasUpdates: onUpdate !== undefined,
    }, { signal, onProgress: onUpdate, waits: true });
    return result as unknown as AgentToolResult;
  }

  /** Takes what the host says of a request. */
  take(message: HostMessage & { type: "reply" | "progress" }): void {
    const open = this.#open.get(message.requestId);
    if (message.type === "progress") return open?.onProgress?.(message.result);
    this.#open.delete(message.requestId);
    if (message.error === undefined) open?.settled.resolve(message.value);
    else open?.settled.reject(new Error(message.error));
  }

  /** The host is gone: nothing is answered any more. */
  close(): void {
    this.#isGone = true;
    for (const { settled } of this.#open.values()) {
      settled.reject(new Error("the host is gone"));
    }
    this.#open.clear();
  }

  async #request(
    wanted: Wanted,
    { signal, onProgress, waits = false }: {
      signal?: AbortSignal | undefined;
      onProgress?: OpenRequest["onProgress"];
      /** The host still replies after an abort. */
      waits?: boolean;
    } = {},
  ): Promise<JsonValue | undefined> {
    if (this.#isGone) throw new Error("the host is gone");
    const requestId = this.#nextId++;
    const settled = Promise.withResolvers<JsonValue | undefined>();
    this.#open.set(requestId, { settled, onProgress });
    const retract = () => {
      if (!waits) settled.reject(signal?.reason);
      this.#send({ type: "retract", requestId }).catch(() => {});
    };
    signal?.addEventListener("abort", retract, { once: true });
    try {
      await this.#send({ type: "request", requestId, ...wanted } as Request);
      if (signal?.aborted) retract();
      return await settled.promise;
    } finally {
      signal?.removeEventListener("abort", retract);
      this.#open.delete(requestId);
    }
  }
}
