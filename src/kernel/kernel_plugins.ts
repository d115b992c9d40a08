import type { AgentTool, AgentToolResult } from "../agent/agent_tool.ts";
import type { ToolCallHooks } from "../agent/loop_config.ts";
import type { UserContent } from "../model/content.ts";
import type { Model } from "../model/model.ts";
import { withFileMutationQueue } from "../operations/file_mutation_queue.ts";
import { createLocalProgramOperations } from "../operations/local_program_operations.ts";
import { PluginHost } from "../plugin_host/plugin_host.ts";
import type {
  NestedCall,
  PluginServices,
  PluginSession,
} from "../plugin_host/plugin_services.ts";
import type { PluginSetup, RunSetup } from "../protocol/kernel_messages.ts";
import type { PluginRunEvent } from "../protocol/documented_events.ts";
import type { SendOptions, ToolSummary } from "../sdk/plugin_api.ts";
import type { PluginModel } from "../sdk/plugin_context.ts";
import type { PluginMessage } from "../sdk/plugin_events.ts";
import type { AnyToolDefinition } from "../sdk/tool_definition.ts";
import type { ToolFactories } from "../sdk/tool_factories.ts";
import type { AgentSession } from "../session/agent_session.ts";
import type { SessionEventSink } from "../session/session_event.ts";
import { catchStrayErrors } from "./catch_stray_errors.ts";
import type { EntryLog } from "./entry_log.ts";
import { NestedCalls } from "./nested_calls.ts";
import { checkFlagValues } from "./plugin_flag_values.ts";
import { pluginMarks } from "./plugin_marks.ts";
import { providerHooks } from "./provider_hooks.ts";
import {
  diagnosticEvent,
  faultEvent,
  noticeEvent,
} from "./plugin_run_events.ts";
import { PluginToolSet } from "./plugin_tool_set.ts";
import { gated, type RuleGate } from "./rule_gate.ts";
import type { SessionChannel } from "./session_channel.ts";
import type { SessionServer } from "./session_server.ts";
import type { UserShellResult } from "./user_shell.ts";
import {
  pluginMessage,
  PluginSessionHooks,
  textAndImages,
} from "./plugin_session_hooks.ts";

/** Parts of a kernel that plugins are joined with. */
export interface KernelPluginOptions {
  setup: RunSetup & { plugins: PluginSetup };
  channel: SessionChannel;
  entries: EntryLog;
  factories: ToolFactories;
  builtInTools: readonly string[];
}

/** The session and what runs it, once they are there. */
interface Joined {
  session: AgentSession;
  toolSet: PluginToolSet;
  /** Decides about each call, the calls of tools included. */
  gate: RuleGate;
  server: Pick<SessionServer, "runSignal" | "abort">;
}

/** The plugins of a kernel's session, and the session as they see it. */
export class KernelPlugins {
  readonly #options: KernelPluginOptions;
  readonly #nested = new NestedCalls(() => this.#callHooks());
  #joinedOrNot: Joined | undefined;
  #idle = Promise.withResolvers<void>();
  readonly #flagValues: ReadonlyMap<string, string | true>;
  #areAllLoaded = true;
  #hasAny = false;

  readonly host: PluginHost;
  readonly hooks: PluginSessionHooks;

  private constructor(options: KernelPluginOptions) {
    this.#options = options;
    const { setup, builtInTools } = options;
    this.#flagValues = new Map(Object.entries(setup.plugins.flagValues ?? {}));
    this.host = new PluginHost({
      places: setup.plugins,
      services: this.#services(),
      builtInTools,
      copies: setup.outputDir,
      deadlineMs: setup.plugins.inspection?.deadlineMs,
      flagValues: this.#flagValues,
      onDiagnostic: (diagnostic) => {
        this.#hasAny = true;
        if (diagnostic.state === "failed") this.#areAllLoaded = false;
        this.#tell(diagnosticEvent(diagnostic));
      },
      onFault: (fault) => this.#tell(faultEvent(fault)),
      onTools: () => this.#joinedOrNot?.toolSet.refresh(),
    });
    this.hooks = new PluginSessionHooks(this.host.hooks, this.#nested);
  }

  /** Loads the plugins that are there. Rejects with a `PluginFlagError` where the user set an option that none of them has. */
  static async load(options: KernelPluginOptions): Promise<KernelPlugins> {
    const plugins = new KernelPlugins(options);
    // A program that embeds a session has its own way with errors.
    if (options.channel.token !== undefined) catchStrayErrors(plugins.host);
    await plugins.host.load();
    // The option of a plugin that could not be loaded is not unknown.
    if (plugins.#areAllLoaded) {
      checkFlagValues(plugins.#flagValues, plugins.host.flags);
    }
    return plugins;
  }

  /** The tools of the session, those of the plugins among them. */
  toolSet(
    { builtIn, wrap, replayed }: {
      builtIn: readonly AnyToolDefinition[];
      wrap(definition: AnyToolDefinition): AgentTool;
      replayed(
        tools: readonly AnyToolDefinition[],
      ): readonly AnyToolDefinition[];
    },
  ): PluginToolSet {
    const { setup } = this.#options;
    return new PluginToolSet({
      builtIn: replayed(builtIn),
      plugins: () => replayed(this.definitions),
      names: setup.tools,
      allowed: setup.plugins.allowedTools,
      excluded: setup.plugins.excludedTools,
      wrap,
    });
  }

  /** The same listener, and behind it the plugins, for what a run does not tell them. */
  listening(emit: SessionEventSink): SessionEventSink {
    return async (event) => {
      await emit(event);
      this.#options.entries.note(event);
      await this.hooks.compacted(event);
    };
  }

  /** Hands the plugins the session that they act on; they hear that it begins. */
  async join(joined: Joined): Promise<void> {
    this.#joinedOrNot = joined;
    // A plugin may have registered tools since it was loaded.
    joined.toolSet.refresh();
    this.#options.channel.hookProvider(providerHooks(this.host.hooks));
    const isResumed = this.#options.setup.historyLength > 0;
    await this.host.hooks.notify({
      type: "session_start",
      reason: isResumed ? "resume" : "startup",
    });
  }

  /** True where there is a plugin, loaded or not. */
  get hasAny(): boolean {
    return this.#hasAny;
  }

  /** The tools that plugins bring, by the names that they have. */
  get definitions(): AnyToolDefinition[] {
    return this.host.tools.map(({ definition }) => definition);
  }

  /** Commands of plugins that a prompt can begin with, behind a slash. */
  get commands(): { name: string; description?: string }[] {
    return Array.from(this.host.commands, ([name, { description }]) => ({
      name,
      ...(description === undefined ? {} : { description }),
    }));
  }

  /** Returns the user's text as the plugins left it; undefined when one of them has dealt with it. */
  async input(
    content: string | UserContent[],
    source: "prompt" | "steer" | "follow_up",
  ): Promise<string | UserContent[] | undefined> {
    const { prompt: text, images } = textAndImages(content);
    const [, name, args = ""] = /^\/([\w:-]+)(?:\s+([^]*))?$/.exec(text) ?? [];
    if (name !== undefined && await this.host.runCommand(name, args)) {
      return undefined;
    }
    const { hooks } = this.host;
    if (!hooks.has("input")) return content;
    const said = await hooks.input({ text, images, source });
    if (!said) return undefined;
    if (said.text === text && said.images === images) return content;
    if (said.images.length === 0) return said.text;
    return [{ type: "text", text: said.text }, ...said.images];
  }

  /** Another model answers, or thinks otherwise. */
  async modelChanged(
    before: AgentSession["answers"],
    now: AgentSession["answers"],
  ): Promise<void> {
    const { hooks } = this.host;
    if (
      before.model.id !== now.model.id ||
      before.model.provider !== now.model.provider
    ) {
      await hooks.notify({
        type: "model_select",
        model: withoutAccess(now.model),
        previousModel: withoutAccess(before.model),
      });
    }
    if (before.thinkingLevel !== now.thinkingLevel) {
      await hooks.notify({
        type: "thinking_level_select",
        level: now.thinkingLevel,
        previousLevel: before.thinkingLevel,
      });
    }
  }

  /** Returns what a plugin puts in place of running a command of the user. Rejects when a plugin refuses it. */
  async userBash(
    command: string,
    excludeFromContext: boolean,
  ): Promise<UserShellResult | undefined> {
    const { cwd } = this.#options.setup;
    const change = await this.host.hooks.userBash({
      command,
      excludeFromContext,
      cwd,
    });
    return change && {
      output: change.output,
      exitCode: change.isError ? 1 : 0,
      cancelled: false,
      truncated: false,
    };
  }

  /** A run is over. */
  async settled(isAborted: boolean): Promise<void> {
    this.#idle.resolve();
    this.#idle = Promise.withResolvers();
    await this.host.hooks.notify({
      type: "agent_settled",
      aborted: isAborted,
    });
  }

  /** The last that plugins hear. */
  async close(): Promise<void> {
    await this.host.close();
  }

  #callHooks(): ToolCallHooks {
    const { beforeToolCall, afterToolCall } = this.hooks;
    const gate = gated(this.#joined.gate, beforeToolCall);
    return { beforeToolCall: gate, afterToolCall };
  }

  get #joined(): Joined {
    if (this.#joinedOrNot) return this.#joinedOrNot;
    throw new Error("The session has not begun yet");
  }

  #services(): PluginServices {
    const { channel, setup, factories } = this.#options;
    const programs = createLocalProgramOperations({
      cwd: setup.cwd,
      environment: setup.environment,
      killTree: (marker) => channel.killCall(marker),
    });
    return {
      session: this.#session(),
      factories,
      ask: (dialog, signal) => channel.ask(dialog, signal),
      notify: (message, { plugin: name, level }) =>
        this.#tell(noticeEvent(name, { level, message })),
      exec: (command, args, options) => programs.run(command, args, options),
      fetch: (url, options) => channel.fetch(url, options),
      withFileMutationQueue: (path, change) =>
        withFileMutationQueue(path, change),
      enter: channel.token === undefined
        ? () => () => {}
        : pluginMarks(channel.token),
    };
  }

  #session(): PluginSession {
    const { setup, channel, entries } = this.#options;
    const joined = () => this.#joined;
    return {
      cwd: setup.cwd,
      mode: setup.mode,
      hasUI: setup.hasUI,
      get model() {
        return withoutAccess(joined().session.answers.model);
      },
      get thinkingLevel() {
        return joined().session.answers.thinkingLevel;
      },
      get signal() {
        return joined().server.runSignal;
      },
      sessionManager: {
        getSessionId: () => setup.sessionId,
        getSessionFile: () => channel.sessionFile,
        getEntries: () => entries.all(),
      },
      isProjectTrusted: () => setup.plugins.isProjectTrusted,
      isIdle: () => !joined().session.isRunning,
      hasPendingMessages: () => joined().session.hasQueued,
      abort: () => joined().server.abort(),
      compact: (options) => {
        this.#compact(options?.instructions);
      },
      getContextUsage: () => {
        const { session } = joined();
        const { contextWindow } = session.answers.model;
        const tokens = session.contextTokens;
        if (tokens === 0) return undefined;
        return { tokens, contextWindow, percent: 100 * tokens / contextWindow };
      },
      getSystemPrompt: () => joined().session.systemPrompt,
      activeTools: () => joined().toolSet.tools.activeNames,
      setActiveTools: (names) => joined().toolSet.tools.setActive(names),
      allTools: () => this.#allTools(),
      sendMessage: (message, options) => this.#say(message, options),
      sendUserMessage: (content, options) => {
        this.#queue(content, options);
      },
      appendEntry: (customType, data) => {
        const given = data === undefined ? {} : { data };
        entries.add({ type: "custom", customType, ...given });
        this.#tell({ type: "custom_entry", customType, ...given });
      },
      executeTool: (call) => this.#executeTool(call),
      waitForIdle: async () => {
        while (joined().session.isRunning) await this.#idle.promise;
      },
    };
  }

  #allTools(): ToolSummary[] {
    const { tools } = this.#joined.toolSet;
    const active = new Set(tools.activeNames);
    const from = new Map(
      this.host.tools.map((
        { definition, plugin },
      ) => [definition.name, plugin]),
    );
    return tools.all.map(({ name, description }) => {
      const plugin = from.get(name);
      return {
        name,
        description,
        active: active.has(name),
        ...(plugin === undefined ? {} : { plugin }),
      };
    });
  }

  #say(message: PluginMessage, { deliverAs }: SendOptions): void {
    const { session } = this.#joined;
    session.queue(pluginMessage(message), deliverAs).catch(() => {});
  }

  #queue(
    content: string | UserContent[],
    { deliverAs }: SendOptions,
  ): void {
    const { session } = this.#joined;
    session.queue({ role: "user", content, timestamp: Date.now() }, deliverAs)
      .catch(() => {});
  }

  async #compact(instructions: string | undefined): Promise<void> {
    const { session } = this.#joined;
    while (session.isRunning) await this.#idle.promise;
    // Why it came to nothing is told as an event.
    await session.compact(instructions).catch(() => {});
  }

  async #executeTool(call: NestedCall): Promise<AgentToolResult> {
    const { toolSet, session } = this.#joined;
    return await this.#nested.run(call, {
      tools: toolSet.tools.snapshot(),
      model: session.answers.model,
    });
  }

  #tell(event: PluginRunEvent): void {
    this.#options.channel.send({ type: "event", event }).catch(() => {});
  }
}

function withoutAccess(
  { baseUrl: _, headers: __, ...model }: Model,
): PluginModel {
  return model;
}
