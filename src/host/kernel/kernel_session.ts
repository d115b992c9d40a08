import type { AgentMessage } from "../../agent/agent_message.ts";
import type { JsonObject, UserContent } from "../../model/content.ts";
import { withoutUndefined } from "../../model/without_undefined.ts";
import type { PluginRunEvent } from "../../protocol/documented_events.ts";
import type {
  AskPayloads,
  SessionState,
} from "../../protocol/kernel_messages.ts";
import type { Declaration } from "../../protocol/kernel_protocol.ts";
import type { AgentSession } from "../../session/agent_session.ts";
import type {
  ServedTool,
  SessionPort,
  ToolServer,
} from "../../session/tool_server.ts";
import { KernelHooks, textAndImages } from "./kernel_hooks.ts";
import {
  KernelMirror,
  type KernelMirrorParts,
  withoutAccess,
} from "./kernel_mirror.ts";
import type { KernelPeer, PeerListener } from "./kernel_peer.ts";
import { KernelRequests, type KernelRequestsParts } from "./kernel_requests.ts";
import { declaredTools, type KernelToolParts } from "./kernel_tools.ts";

/** Parts of a {@linkcode KernelSession}. */
export interface KernelSessionParts extends KernelMirrorParts {
  tools: SessionState["tools"];
  /** Names of the built-in tools. */
  builtIn: readonly string[];
  calls: KernelToolParts;
  /** The kernel, once it serves. */
  serving(): Promise<KernelPeer>;
  /** The kernel that is there now. */
  current(): KernelPeer | undefined;
  /** Services for requests of a kernel that the session itself does not serve. */
  requests: Omit<
    KernelRequestsParts,
    "runCall" | "activate" | "say" | "keep"
  >;
  /** Paths were refused. */
  onRefused: PeerListener["onRefused"];
  /** Changes a tool before the session has it. Default: it stays as it is. */
  adapt?(tool: ServedTool): ServedTool;
}

/** A plugin that was loaded. */
interface LoadedPlugin {
  path: string;
  /** Events that it listened to. */
  events: readonly string[];
  /** Built-in tools in whose place it stood. */
  overrides: readonly string[];
}

/** A session's plugins and their tools, out of a kernel: what it declares, hears, answers and asks for. */
export class KernelSession implements ToolServer {
  readonly #parts: KernelSessionParts;
  readonly #mirror: KernelMirror;
  readonly #requests: KernelRequests;
  #tools: ServedTool[] = [];
  #declaration: Declaration | undefined;
  #listens: ReadonlySet<string> = new Set();
  #port: SessionPort | undefined;
  /** Plugins by their names, with what they guard. */
  readonly #loaded = new Map<string, LoadedPlugin>();
  /** Plugins that ended a kernel and are not loaded again. */
  readonly #leftOut = new Map<string, LoadedPlugin>();
  /** A plugin was loaded. */
  hasPlugins = false;

  readonly hooks: KernelHooks;
  /** Takes what a kernel says of its own. */
  readonly listener: PeerListener;

  constructor(parts: KernelSessionParts) {
    this.#parts = parts;
    this.#mirror = new KernelMirror(parts);
    this.hooks = new KernelHooks({
      has: (event) => this.#listens.has(event),
      peer: () => this.informed(),
      mirror: this.#mirror,
      parentOf: (call) => this.#port?.parentOf(call),
    });
    this.#requests = new KernelRequests({
      ...parts.requests,
      runCall: (call) => (this.#port as SessionPort).runCall(call),
      activate: (names) => this.#port?.session.tools.setActive(names),
      say: (message, deliverAs) => {
        this.#port?.session.queue(message, deliverAs).catch(() => {});
      },
      keep: (customType, data) => {
        const entry = withoutUndefined({ customType, data });
        this.#mirror.add({ type: "custom", ...entry }, undefined);
        parts.requests.report({ type: "custom_entry", ...entry });
      },
    });
    this.listener = {
      onDeclare: (declaration, peer) => this.#declare(declaration, peer),
      onRequest: (request, peer) => {
        this.#requests.take(request, peer);
      },
      onTell: (tell) => this.#requests.heed(tell),
      onRefused: parts.onRefused,
      onHeard: (n) => this.hooks.noteHeard(n),
    };
  }

  get tools(): readonly ServedTool[] {
    return this.#tools;
  }

  /** Tools, commands and plugins of the kernel; undefined before it has declared them. */
  get declaration(): Declaration | undefined {
    return this.#declaration;
  }

  join(port: SessionPort): void {
    this.#port = port;
  }

  /** Gives a fresh kernel the session as it is. */
  async introduce(
    peer: KernelPeer,
    reason: "startup" | "resume",
  ): Promise<void> {
    if (this.#session) await this.#mirror.open(peer, this.#session, reason);
  }

  /** Paths of plugins that are not loaded again. */
  get leftOut(): string[] {
    return [...this.#leftOut.values()].map(({ path }) => path);
  }

  /** A kernel ended in the code of a plugin: it is left out, and what it guarded is blocked. A plugin that nobody knows yet is not. */
  leaveOut(name: string, reason: string): void {
    const plugin = this.#loaded.get(name);
    if (!plugin || this.#leftOut.has(name)) return;
    this.#leftOut.set(name, plugin);
    this.#parts.requests.report({
      type: "plugin_error",
      name,
      path: plugin.path,
      message:
        `It is left out until plugins are loaded anew, since the kernel ended in it: ${reason}`,
    });
  }

  /** The reason why a call of a tool is not made: a guard, or what stood in its place, is gone. */
  withheld(toolName: string): string | undefined {
    return this.#gone(({ events, overrides }) =>
      events.includes("tool_call") || events.includes("tool_result") ||
      overrides.includes(toolName)
    );
  }

  /** A new run begins. */
  begin(): void {
    this.#requests.begin();
  }

  /** The kernel that was there is gone. */
  forget(): void {
    this.hooks.forgetSteps();
  }

  /** Notes a message of the session. */
  note(message: AgentMessage, number: number): void {
    const entry = { type: "message" as const, message, number };
    this.#mirror.add(entry, this.#parts.current());
  }

  /** The kernel, once it serves, told all that is new. */
  async informed(): Promise<KernelPeer> {
    const peer = await this.#parts.serving();
    if (this.#session) this.#mirror.flush(peer, this.#session);
    return peer;
  }

  /** Returns the user's text as plugins leave it; undefined when one has dealt with it, and may have queued something in its place. */
  async input(
    said: string | UserContent[],
    source: AskPayloads["input"]["source"],
    signal?: AbortSignal,
  ): Promise<string | UserContent[] | undefined> {
    const gone = this.#gone(({ events }) => events.includes("input"));
    if (gone !== undefined) throw new Error(gone);
    const { prompt } = textAndImages(said);
    const [, name, args = ""] = /^\/([\w:-]+)(?:\s+([^]*))?$/.exec(prompt) ??
      [];
    const isCommand = this.#declaration?.commands
      .some((command) => command.name === name);
    if (name !== undefined && isCommand) {
      const peer = await this.informed();
      const { isKnown } = await peer.ask("command", { name, args }, {
        signal,
        hasLimit: false,
      });
      if (isKnown) return undefined;
    }
    return await this.hooks.input(said, source);
  }

  /** Returns what a plugin puts in place of running a command of the user. Rejects when a plugin refuses it, or cannot be asked. */
  async userBash(
    command: string,
    { cwd, isPrivate }: { cwd: string; isPrivate: boolean },
  ): Promise<{ output: string; isError: boolean } | undefined> {
    const gone = this.#gone(({ events }) => events.includes("user_bash"));
    if (gone !== undefined) throw new Error(gone);
    if (!this.#listens.has("user_bash")) return undefined;
    const peer = await this.informed();
    const { output, isError } = await peer.ask("user_bash", {
      command,
      excludeFromContext: isPrivate,
      cwd,
    });
    return output === undefined
      ? undefined
      : { output, isError: isError === true };
  }

  /** Has plugins loaded anew whose files have changed. */
  async reload(): Promise<JsonObject> {
    const peer = await this.informed();
    const outcome = await peer.ask("reload", {}, { hasLimit: false });
    this.#leftOut.clear();
    return { ...outcome };
  }

  /** A run is over. */
  async settled(isAborted: boolean): Promise<void> {
    const peer = this.#parts.current();
    if (peer && this.#session && this.#declaration) {
      this.#mirror.flush(peer, this.#session);
    }
    await this.hooks.notify("agent_settled", (type) => ({
      type,
      aborted: isAborted,
    }));
  }

  /** Another model answers, or thinks otherwise. */
  async modelChanged(
    before: AgentSession["answers"],
    now: AgentSession["answers"],
  ): Promise<void> {
    if (
      before.model.id !== now.model.id ||
      before.model.provider !== now.model.provider
    ) {
      await this.hooks.notify("model_select", (type) => ({
        type,
        model: withoutAccess(now.model),
        previousModel: withoutAccess(before.model),
      }));
    }
    if (before.thinkingLevel !== now.thinkingLevel) {
      await this.hooks.notify("thinking_level_select", (type) => ({
        type,
        level: now.thinkingLevel,
        previousLevel: before.thinkingLevel,
      }));
    }
  }

  #gone(guards: (plugin: LoadedPlugin) => boolean): string | undefined {
    for (const [name, plugin] of this.#leftOut) {
      if (!guards(plugin)) continue;
      return `Not run: the guard "${name}" is not there any more, since the kernel ended in it; what it would have looked at is blocked until plugins are loaded anew (/reload)`;
    }
    return undefined;
  }

  get #session(): AgentSession | undefined {
    return this.#port?.session;
  }

  #declare(declaration: Declaration, peer: KernelPeer): void {
    const { requests: { report }, builtIn, calls, adapt } = this.#parts;
    this.#declaration = declaration;
    for (const plugin of declaration.plugins) {
      if (plugin.state === "loaded") {
        this.hasPlugins = true;
        const { name, path, events } = plugin;
        const overrides = declaration.tools.filter((tool) =>
          tool.plugin === name && tool.isOverride
        ).map((tool) => tool.name);
        this.#loaded.set(name, { path, events, overrides });
      }
      report(diagnosticEvent(plugin));
    }
    this.#listens = new Set(declaration.listens);
    const tools = declaredTools(declaration.tools, {
      ...calls,
      isBuiltIn: (name) => builtIn.includes(name),
      refuse: (tool, name = "tau", why) =>
        report({
          type: "plugin_error",
          name,
          path: "",
          during: "registerTool",
          message: `The tool "${tool}" is left out: ${why}`,
        }),
    });
    this.#tools = adapt ? tools.map(adapt) : tools;
    if (!this.#port) return;
    this.#port.toolsChanged();
    this.#mirror.flush(peer, this.#port.session);
  }
}

function diagnosticEvent(
  { state, reason = "", name, path, file, line, column, ...loaded }:
    Declaration["plugins"][number],
): PluginRunEvent {
  return state === "loaded"
    ? { type: "plugin_loaded", name, path, ...loaded }
    : withoutUndefined({
      type: "plugin_error" as const,
      name,
      path,
      message: reason,
      file,
      line,
      column,
    });
}
