import type { AgentToolResult, AgentToolUpdate } from "../agent/agent_tool.ts";
import type { JsonObject } from "../model/content.ts";
import type { ThinkingLevel } from "../model/model.ts";
import type {
  ContextUsage,
  PluginCommandContext,
  PluginContext,
  PluginMode,
  PluginModel,
  PluginToolContext,
  SessionView,
} from "../sdk/plugin_context.ts";
import type {
  DialogOptions,
  PluginDialog,
  PluginDialogAnswer,
  PluginUi,
} from "../sdk/plugin_ui.ts";
import type { ToolContext } from "../sdk/tool_context.ts";
import type { CallClock } from "./call_clock.ts";
import type { PluginScope } from "./plugin_scope.ts";
import type { PluginServices, PluginSession } from "./plugin_services.ts";

/** Parts of a context. */
export interface ContextSource {
  scope: PluginScope;
  services: PluginServices;
  /** Clock of the call that the context is made for; undefined for tools, which have no deadline. */
  clock?: CallClock | undefined;
  /** Tells of a question, before and after. */
  onPrompt(kind: PluginDialog["kind"], title: string): Promise<() => void>;
}

/** The session as one call of a plugin's code sees it, until the plugin is unloaded. */
export class PluginContextView implements PluginContext {
  readonly #source: ContextSource;

  constructor(source: ContextSource) {
    this.#source = source;
  }

  /** The session, for as long as the plugin lives. */
  protected get session(): PluginSession {
    this.#source.scope.assertAlive();
    return this.#source.services.session;
  }

  get cwd(): string {
    return this.session.cwd;
  }
  get mode(): PluginMode {
    return this.session.mode;
  }
  get hasUI(): boolean {
    return this.session.hasUI;
  }
  get ui(): PluginUi {
    this.#source.scope.assertAlive();
    return new ContextUi(this.#source);
  }
  get model(): PluginModel {
    return this.session.model;
  }
  get thinkingLevel(): ThinkingLevel {
    return this.session.thinkingLevel;
  }
  get signal(): AbortSignal | undefined {
    return this.session.signal;
  }
  get sessionManager(): SessionView {
    return this.session.sessionManager;
  }
  isProjectTrusted(): boolean {
    return this.session.isProjectTrusted();
  }
  isIdle(): boolean {
    return this.session.isIdle();
  }
  hasPendingMessages(): boolean {
    return this.session.hasPendingMessages();
  }
  abort(): void {
    this.session.abort();
  }
  shutdown(): void {
    this.session.shutdown();
  }
  compact(options?: { instructions?: string }): void {
    this.session.compact(options);
  }
  getContextUsage(): ContextUsage | undefined {
    return this.session.getContextUsage();
  }
  getSystemPrompt(): string {
    return this.session.getSystemPrompt();
  }
}

/** Context of a plugin's command. */
export class PluginCommandContextView extends PluginContextView
  implements PluginCommandContext {
  readonly #clock: CallClock;
  readonly #reload: () => Promise<void>;

  constructor(
    source: ContextSource & { clock: CallClock },
    reload: () => Promise<void>,
  ) {
    super(source);
    this.#clock = source.clock;
    this.#reload = reload;
  }

  /** A run takes as long as it takes. */
  waitForIdle(): Promise<void> {
    return this.#clock.pausedBy(this.session.waitForIdle());
  }
  async reload(): Promise<void> {
    if (!this.session.isIdle()) {
      throw new Error(
        "Wait for the current response to finish before reloading.",
      );
    }
    await this.#clock.pausedBy(this.#reload());
  }
}

/** Context of a plugin's tool. */
export class PluginToolContextView extends PluginContextView
  implements PluginToolContext {
  readonly #call: { toolCallId: string; base: ToolContext };
  readonly #signal: AbortSignal;

  constructor(
    source: ContextSource,
    call: { toolCallId: string; base: ToolContext },
  ) {
    super(source);
    this.#call = call;
    this.#signal = call.base.signal ?? new AbortController().signal;
  }

  override get signal(): AbortSignal {
    return this.#signal;
  }
  get sessionEnvironment(): Record<string, string> | undefined {
    return this.#call.base.sessionEnvironment;
  }
  get tools(): PluginToolContext["tools"] {
    const tools: Record<
      string,
      (args: JsonObject) => Promise<AgentToolResult>
    > = Object.create(null);
    for (const name of this.session.activeTools()) {
      tools[name] = (args) => this.executeTool(name, args);
    }
    return tools;
  }
  executeTool(
    name: string,
    args: JsonObject,
    options: { signal?: AbortSignal; onUpdate?: AgentToolUpdate } = {},
  ): Promise<AgentToolResult> {
    const signal = options.signal
      ? AbortSignal.any([options.signal, this.#signal])
      : this.#signal;
    return this.session.executeTool({
      parentToolCallId: this.#call.toolCallId,
      toolName: name,
      args,
      signal,
      onUpdate: options.onUpdate,
    });
  }
}

/** Questions of one call. */
class ContextUi implements PluginUi {
  readonly #source: ContextSource;

  constructor(source: ContextSource) {
    this.#source = source;
  }

  async confirm(
    title: string,
    message: string,
    options?: DialogOptions,
  ): Promise<boolean> {
    return await this.#ask({ kind: "confirm", title, message }, options) ===
      true;
  }

  async select(
    title: string,
    options: readonly string[],
    dialogOptions?: DialogOptions,
  ): Promise<string | undefined> {
    const answer = await this.#ask(
      { kind: "select", title, options: [...options] },
      dialogOptions,
    );
    return options.find((option) => option === answer);
  }

  async input(
    title: string,
    placeholder?: string,
    options?: DialogOptions,
  ): Promise<string | undefined> {
    return textIn(
      await this.#ask({
        kind: "input",
        title,
        ...(placeholder === undefined ? {} : { placeholder }),
      }, options),
    );
  }

  async editor(
    title: string,
    prefill?: string,
    options?: DialogOptions,
  ): Promise<string | undefined> {
    return textIn(
      await this.#ask({
        kind: "editor",
        title,
        ...(prefill === undefined ? {} : { prefill }),
      }, options),
    );
  }

  notify(
    message: string,
    level: "info" | "warning" | "error" = "info",
  ): void {
    const { scope, services } = this.#source;
    scope.assertAlive();
    // A notice is told whatever its author calls it.
    const known = LEVELS.has(level) ? level : "info";
    services.notify(String(message), { plugin: scope.name, level: known });
  }

  async #ask(
    dialog: PluginDialog,
    { signal, timeoutMs }: DialogOptions = {},
  ): Promise<PluginDialogAnswer> {
    const { scope, services, clock, onPrompt } = this.#source;
    scope.assertAlive();
    assertAskable(dialog);
    const { session } = services;
    if (!session.hasUI) return undefined;
    const signals = [
      session.signal,
      signal,
      timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs),
    ].filter((one) => one !== undefined);
    const ask = async () => {
      const told = await onPrompt(dialog.kind, dialog.title);
      try {
        return await services.ask(dialog, AbortSignal.any(signals));
      } finally {
        told();
      }
    };
    return clock ? await clock.pausedBy(ask()) : await ask();
  }
}

const LEVELS: ReadonlySet<unknown> = new Set(["info", "warning", "error"]);
/** Characters of one text of a question, and options of it. */
const MAX_TEXT = 64 * 1024;
const MAX_OPTIONS = 1000;

function assertAskable({ kind, ...texts }: PluginDialog): void {
  const all = Object.values(texts).flat();
  const fits = all.length <= MAX_OPTIONS + 1 &&
    all.every((text: unknown) =>
      typeof text === "string" && text.length <= MAX_TEXT
    );
  if (fits) return;
  throw new TypeError(
    `ui.${kind} takes texts of at most ${MAX_TEXT} characters, and ${MAX_OPTIONS} options`,
  );
}

function textIn(answer: PluginDialogAnswer): string | undefined {
  return typeof answer === "string" ? answer : undefined;
}
