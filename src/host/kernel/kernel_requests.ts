import type { AgentToolResult } from "../../agent/agent_tool.ts";
import { errorText } from "../../agent/error_text.ts";
import type { JsonObject, JsonValue } from "../../model/content.ts";
import type { UserMessage } from "../../model/message.ts";
import type { PluginRunEvent } from "../../protocol/documented_events.ts";
import type { DialogAnswer } from "../../protocol/kernel_messages.ts";
import { MAX_OPEN_REQUESTS } from "../../protocol/kernel_bounds.ts";
import type {
  Dialog,
  FetchRequest,
  KernelMessageOf,
} from "../../protocol/kernel_protocol.ts";
import type { NestedCall } from "../../session/tool_server.ts";
import { pluginMessage } from "./kernel_hooks.ts";
import type { KernelPeer } from "./kernel_peer.ts";

type Request = KernelMessageOf<"request">;
type Tell = KernelMessageOf<"tell">;

/** Services of a session for the plugins of its kernel; each refuses what is not allowed. */
export interface KernelRequestsParts {
  /** Asks the user; absent where nobody can be asked. */
  ask?:
    | ((dialog: Dialog, dismissed: AbortSignal) => Promise<DialogAnswer>)
    | undefined;
  fetch(request: FetchRequest): Promise<JsonObject>;
  /** Ends the processes of a shell call. */
  kill(marker: string): Promise<unknown>;
  runCall(call: NestedCall): Promise<AgentToolResult>;
  activate(names: readonly string[]): void;
  say(message: UserMessage, deliverAs: "steer" | "followUp" | undefined): void;
  keep(customType: string, data: JsonValue | undefined): void;
  report(event: PluginRunEvent): void;
  abort(): void;
  /** Ends the program when nothing goes on. */
  shutdown(): void;
  compact(instructions: string | undefined): void;
}

/** Messages that plugins may say in one run, and what they may keep in a session. */
const MAX_SAID = 1000;
const MAX_NOTICES = 1000;
const MAX_KEPT = 64 * 1024 * 1024;
/** Begins the names of entries that are the program's own. */
const OWN_PREFIX = "tau:";

/** Answers the requests of a kernel, and does what it tells. None of it is waited for where messages are read. */
export class KernelRequests {
  readonly #parts: KernelRequestsParts;
  readonly #open = { dialog: 0, fetch: 0, call: 0, kill: 0 };
  #said = 0;
  #notices = 0;
  #kept = 0;
  /** One search through all processes at a time. */
  #killing: Promise<unknown> = Promise.resolve();

  constructor(parts: KernelRequestsParts) {
    this.#parts = parts;
  }

  /** A new run begins, with bounds of its own. */
  begin(): void {
    this.#said = 0;
    this.#notices = 0;
  }

  /** Never rejects. */
  async take(request: Request, peer: KernelPeer): Promise<void> {
    const { requestId, kind } = request;
    if (this.#open[kind] >= MAX_OPEN_REQUESTS[kind]) {
      const error = kind === "fetch"
        ? `More than ${MAX_OPEN_REQUESTS.fetch} requests at once`
        : `More than ${MAX_OPEN_REQUESTS[kind]} at once`;
      if (kind === "dialog") return peer.reply(requestId, {});
      return peer.reply(requestId, { error });
    }
    this.#open[kind]++;
    try {
      const value = await this.#do(request, peer);
      peer.reply(requestId, value === undefined ? {} : { value });
    } catch (error) {
      // A question that cannot be put is one that nobody answered.
      if (kind === "dialog") peer.reply(requestId, {});
      else peer.reply(requestId, { error: errorText(error) });
    } finally {
      this.#open[kind]--;
    }
  }

  #do(request: Request, peer: KernelPeer): Promise<unknown> {
    const { requestId } = request;
    const signal = peer.signalOf(requestId) as AbortSignal;
    switch (request.kind) {
      case "dialog":
        return Promise.resolve(this.#parts.ask?.(request.dialog, signal));
      case "fetch":
        return this.#parts.fetch(request.request);
      case "kill": {
        const killed = this.#killing.then(async () => {
          await this.#parts.kill(request.marker);
        });
        this.#killing = killed.catch(() => {});
        return killed;
      }
      case "call":
        return this.#call(request, peer, signal);
    }
  }

  async #call(
    { requestId, parent, tool, args, hasUpdates }: Extract<
      Request,
      { kind: "call" }
    >,
    peer: KernelPeer,
    signal: AbortSignal,
  ): Promise<AgentToolResult> {
    if (peer.openCall(parent)?.from !== "declared") {
      throw new Error("The call that it is made for is over");
    }
    return await this.#parts.runCall({
      parentToolCallId: parent,
      toolName: tool,
      args,
      signal,
      onUpdate: hasUpdates
        ? (result) => peer.send({ type: "progress", requestId, result })
        : undefined,
    });
  }

  /** Does what plugins do to the session, as far as they may. */
  heed(tell: Tell): void {
    const { activate, say, report, abort, shutdown, compact } = this.#parts;
    switch (tell.kind) {
      case "activate":
        return activate(tell.names);
      case "say":
        if (++this.#said > MAX_SAID) return;
        return say(pluginMessage(tell.message), tell.deliverAs);
      case "say_as_user": {
        if (++this.#said > MAX_SAID) return;
        const { content, deliverAs } = tell;
        return say(
          { role: "user", content, timestamp: Date.now() },
          deliverAs,
        );
      }
      case "keep":
        return this.#keep(tell);
      case "notice": {
        if (++this.#notices > MAX_NOTICES) return;
        const { plugin: name, level, message } = tell;
        return report({ type: "plugin_notice", name, level, message });
      }
      case "fault": {
        if (++this.#notices > MAX_NOTICES) return;
        const { plugin: name, path, during, message, stack } = tell;
        return report({
          type: "plugin_error",
          name,
          path,
          during,
          message,
          ...(stack === undefined ? {} : { stack }),
        });
      }
      case "abort":
        return abort();
      case "shutdown":
        return shutdown();
      case "compact":
        return compact(tell.instructions);
    }
  }

  #keep({ customType, data }: Extract<Tell, { kind: "keep" }>): void {
    if (customType.startsWith(OWN_PREFIX)) return;
    this.#kept += customType.length +
      (data === undefined ? 0 : JSON.stringify(data).length);
    if (this.#kept <= MAX_KEPT) this.#parts.keep(customType, data);
  }
}
