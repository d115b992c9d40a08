import type { AgentMessage } from "../agent/agent_message.ts";
import type { UserContent } from "../model/content.ts";
import type { Message } from "../model/message.ts";
import type { Model, ThinkingLevel } from "../model/model.ts";
import { childEnvironment } from "../policy/environment.ts";
import type { PathPolicy } from "../policy/path_policy.ts";
import type { RunSetup } from "../protocol/kernel_messages.ts";
import type { AnyToolDefinition } from "../sdk/tool_definition.ts";
import type { AgentSession } from "../session/agent_session.ts";
import {
  MemorySession,
  type SessionKeeper,
} from "../session/memory_session.ts";
import type { PromptContext } from "../session/prompt_context.ts";
import { type LimitOptions, limitsIn } from "../session/run_limits.ts";
import type { RunOutcome } from "../session/run_outcome.ts";
import { resolvePath } from "../tools/resolve_path.ts";
import { composeKernel, kernelParts } from "./compose_kernel.ts";
import { inlineImages } from "./inline_images.ts";
import type { KernelPlugins } from "./kernel_plugins.ts";
import {
  LocalChannel,
  type LocalServices,
  type LocalSessionEvent,
  type LocalSessionListener,
} from "./local_channel.ts";
import type { PluginToolSet } from "./plugin_tool_set.ts";

/** Parts of a session in one's own process. */
export interface CreateAgentSessionOptions extends LimitOptions {
  /** Source of the answers. */
  model: Model;
  /** Default `off`. */
  thinkingLevel?: ThinkingLevel;
  services: LocalServices;
  /** The working folder. Default: that of the process. */
  cwd?: string;
  /** Tools beside the built-in ones, in whose place they stand where a name is the same. They get a `ToolContext`. */
  customTools?: readonly AnyToolDefinition[];
  /** The only tools that are active, or can be. Default: read, bash, edit, write, the custom ones and those of plugins. */
  tools?: readonly string[];
  /** Tools that are never active. */
  excludeTools?: readonly string[];
  /** Plugins: files, or folders with a `mod.ts`. They run with the rights of this process. */
  plugins?: readonly string[];
  /** The conversation so far, and what it grows into. Default: a new one in memory. */
  sessionManager?: SessionKeeper;
  /** Instructions and skills for the system prompt. Default: none; no file is read. */
  context?: PromptContext;
  /** Roots of the file tools. Default: the working folder. Commands are not confined. */
  policy?: PathPolicy;
  /** Variables; commands see those that cannot hold a key. Default: those of the process. */
  env?: Record<string, string>;
}

/** A session in this process. Make it with {@linkcode createAgentSession}. */
export interface EmbeddedSession {
  /** Events of plugins before anybody could subscribe: which were loaded, and which were not and why. */
  readonly pluginEvents: readonly LocalSessionEvent[];
  /** True while a run goes on. */
  readonly isRunning: boolean;
  /** Names of the tools that the model is told of. */
  getActiveToolNames(): string[];
  /** Has the model told of these tools and no others, from the next request on. Unknown names, and those that the session does not allow, are ignored. */
  setActiveToolsByName(names: readonly string[]): void;
  /** Hears every event from now on, in order and awaited; returns how to stop. A listener that rejects fails the run. */
  subscribe(listener: LocalSessionListener): () => void;
  /** Answers one prompt. Resolves however the run ends; rejects while another goes on. */
  prompt(content: string | UserContent[]): Promise<RunOutcome>;
  /** Says something before the next request of the run. */
  steer(content: string | UserContent[]): Promise<void>;
  /** Says something when the run would end. */
  followUp(content: string | UserContent[]): Promise<void>;
  /** Ends the run that goes on; its `prompt` resolves. */
  abort(): void;
  /** Ends the run and the session: plugins hear of it, and nothing can be asked any more. */
  dispose(): Promise<void>;
}

const DEFAULT_TOOLS = ["read", "bash", "edit", "write"];

/**
 * Makes a session that runs in this process: the one that the program runs in
 * its kernel, without a host, a sandbox or a file. Rejects for a tool that does
 * not exist. A plugin that cannot be loaded is told of by `pluginEvents`.
 */
export async function createAgentSession(
  options: CreateAgentSessionOptions,
): Promise<EmbeddedSession> {
  const { sessionManager = new MemorySession() } = options;
  const history = [...sessionManager.entries];
  const listeners = new Listeners(sessionManager);
  const channel = new LocalChannel(options.services, listeners.hear);
  const outputDir = await Deno.makeTempDir({ prefix: "tau-" });
  try {
    const setup = setupOf(options, {
      cwd: await Deno.realPath(options.cwd ?? Deno.cwd()),
      outputDir,
      sessionId: sessionManager.id,
      historyLength: history.length,
    });
    const { customTools: more = [] } = options;
    const { session, plugins, gate } = await composeKernel(
      kernelParts(setup, channel, { more, history }),
    );
    if (!plugins) throw new Error("the setup has plugins");
    const embedded = new LocalSession({
      session,
      ...plugins,
      listeners,
      outputDir,
    });
    await plugins.plugins.join({ ...plugins, session, gate, server: embedded });
    return embedded;
  } catch (error) {
    await Deno.remove(outputDir, { recursive: true });
    throw error;
  }
}

function setupOf(
  options: CreateAgentSessionOptions,
  { cwd, ...given }: Pick<
    RunSetup,
    "cwd" | "outputDir" | "sessionId" | "historyLength"
  >,
): RunSetup & { plugins: object } {
  const { model, thinkingLevel, services, customTools = [] } = options;
  const { plugins = [], env = Deno.env.toObject(), excludeTools } = options;
  const homeDir = env.HOME ?? env.USERPROFILE;
  const isWanted = (name: string) => !excludeTools?.includes(name);
  const allowedTools = options.tools?.filter(isWanted);
  return {
    ...given,
    cwd,
    model,
    thinkingLevel,
    tools: allowedTools ?? [
      ...DEFAULT_TOOLS,
      ...customTools.map(({ name }) => name),
    ].filter(isWanted),
    plugins: {
      paths: plugins.map((path) => resolvePath(path, { cwd, homeDir })),
      folders: [],
      isProjectTrusted: false,
      allowedTools,
      excludedTools: excludeTools && [...excludeTools],
    },
    promptContext: options.context,
    policy: options.policy ?? { readRoots: [cwd], writeRoots: [cwd] },
    environment: childEnvironment(env),
    homeDir,
    limits: limitsIn(options),
    mode: services.ask ? "rpc" : "print",
    hasUI: services.ask !== undefined,
    isStored: false,
    storedCount: 0,
    rules: [],
    asksForCommands: false,
    updates: true,
  };
}

class LocalSession implements EmbeddedSession {
  readonly #session: AgentSession;
  readonly #plugins: KernelPlugins;
  readonly #toolSet: PluginToolSet;
  readonly #listeners: Listeners;
  readonly #outputDir: string;
  #run: { abort: AbortController; ended: Promise<unknown> } | undefined;
  #isDisposed = false;

  readonly pluginEvents: readonly LocalSessionEvent[];

  constructor(
    { session, plugins, toolSet, listeners, outputDir }: {
      session: AgentSession;
      plugins: KernelPlugins;
      toolSet: PluginToolSet;
      listeners: Listeners;
      outputDir: string;
    },
  ) {
    this.#session = session;
    this.#plugins = plugins;
    this.#toolSet = toolSet;
    this.#listeners = listeners;
    this.#outputDir = outputDir;
    this.pluginEvents = listeners.begin();
  }

  getActiveToolNames(): string[] {
    return this.#toolSet.tools.activeNames;
  }

  setActiveToolsByName(names: readonly string[]): void {
    this.#toolSet.tools.setActive(names);
  }

  subscribe(listener: LocalSessionListener): () => void {
    return this.#listeners.add(listener);
  }

  get isRunning(): boolean {
    return this.#run !== undefined;
  }

  get runSignal(): AbortSignal | undefined {
    return this.#run?.abort.signal;
  }

  async prompt(content: string | UserContent[]): Promise<RunOutcome> {
    if (this.#isDisposed) throw new Error("The session is disposed of");
    if (this.#run) throw new Error("Wait until the run has ended, or steer it");
    const abort = new AbortController();
    const outcome = this.#answer(content, abort.signal);
    this.#run = { abort, ended: outcome.catch(() => {}) };
    try {
      return await outcome;
    } finally {
      this.#run = undefined;
    }
  }

  async steer(content: string | UserContent[]): Promise<void> {
    const said = await this.#heard(content, "steer");
    if (said !== undefined) await this.#session.steer(said);
  }

  async followUp(content: string | UserContent[]): Promise<void> {
    const said = await this.#heard(content, "follow_up");
    if (said !== undefined) await this.#session.followUp(said);
  }

  abort(): void {
    this.#run?.abort.abort(new DOMException("Aborted", "AbortError"));
  }

  async dispose(): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.abort();
    await this.#run?.ended;
    await this.#plugins.close();
    this.#listeners.clear();
    await Deno.remove(this.#outputDir, { recursive: true });
  }

  async #answer(
    content: string | UserContent[],
    signal: AbortSignal,
  ): Promise<RunOutcome> {
    const said = await this.#heard(content, "prompt");
    const outcome = await this.#session.run(said, signal);
    await this.#plugins.settled(outcome.kind === "aborted");
    return outcome;
  }

  async #heard(
    content: string | UserContent[],
    source: "prompt" | "steer" | "follow_up",
  ): Promise<string | UserContent[] | undefined> {
    return await this.#plugins.input(await inlineImages(content), source);
  }
}

/** Listeners of a session: first the keeper of its entries, then the subscribers. */
class Listeners {
  readonly #keeper: SessionKeeper;
  readonly #listeners = new Set<LocalSessionListener>();
  readonly #messageIds = new WeakMap<Message | AgentMessage, string>();
  #early: LocalSessionEvent[] | undefined = [];

  constructor(keeper: SessionKeeper) {
    this.#keeper = keeper;
    for (const entry of keeper.entries) {
      if (entry.type === "message") {
        this.#messageIds.set(entry.message, entry.id);
      }
    }
  }

  /** The events so far; later ones are not kept. */
  begin(): LocalSessionEvent[] {
    const early = this.#early ?? [];
    this.#early = undefined;
    return early;
  }

  add(listener: LocalSessionListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  clear(): void {
    this.#listeners.clear();
  }

  readonly hear = async (event: LocalSessionEvent): Promise<void> => {
    this.#keep(event);
    this.#early?.push(event);
    for (const listener of [...this.#listeners]) await listener(event);
  };

  #keep(event: LocalSessionEvent): void {
    if (event.type === "message_end") {
      const { message } = event;
      const id = this.#keeper.append({ type: "message", message });
      this.#messageIds.set(message, id);
    } else if (event.type === "custom_entry") {
      const { customType, data } = event;
      this.#keeper.append({
        type: "custom",
        customType,
        ...(data === undefined ? {} : { data }),
      });
    } else if (event.type === "compaction_end" && event.result) {
      const { summary, firstKept, tokensBefore } = event.result;
      const firstKeptEntryId = this.#messageIds.get(firstKept);
      if (firstKeptEntryId === undefined) return;
      this.#keeper.append({
        type: "compaction",
        summary,
        firstKeptEntryId,
        tokensBefore,
      });
    }
  }
}
