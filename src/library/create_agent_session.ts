import { abortReason } from "../model/abort_reason.ts";
import type { AgentMessage } from "../agent/agent_message.ts";
import type { NumberedEntry } from "../host/kernel/kernel_mirror.ts";
import { KernelSession } from "../host/kernel/kernel_session.ts";
import type { JsonObject, UserContent } from "../model/content.ts";
import type { Message } from "../model/message.ts";
import type { Model, ThinkingLevel } from "../model/model.ts";
import { withoutUndefined } from "../model/without_undefined.ts";
import { resolveRealPath } from "../operations/guarded_paths.ts";
import { childEnvironment } from "../policy/environment.ts";
import type { PathPolicy } from "../policy/path_policy.ts";
import type {
  PluginRunEvent,
  ToolDeniedEvent,
} from "../protocol/documented_events.ts";
import type { KernelSetup } from "../protocol/kernel_messages.ts";
import type { FetchRequest } from "../protocol/kernel_protocol.ts";
import type {
  PluginFetchOptions,
  PluginFetchResult,
} from "../sdk/plugin_api.ts";
import type { PluginDialog, PluginDialogAnswer } from "../sdk/plugin_ui.ts";
import {
  type AnyToolDefinition,
  wrapToolDefinition,
} from "../sdk/tool_definition.ts";
import type { AgentSession } from "../session/agent_session.ts";
import { UnknownToolError } from "../session/approvals.ts";
import { composeSession } from "../session/compose_session.ts";
import {
  MemorySession,
  type SessionKeeper,
} from "../session/memory_session.ts";
import type { PromptContext } from "../session/prompt_context.ts";
import { type LimitOptions, limitsIn } from "../session/run_limits.ts";
import type { RunOutcome } from "../session/run_outcome.ts";
import type { SessionEvent } from "../session/session_event.ts";
import type { ServedTool } from "../session/tool_server.ts";
import { resolvePath } from "../tools/resolve_path.ts";
import { builtInTools, createToolFactories } from "../kernel/built_in_tools.ts";
import { inlineImages } from "../kernel/inline_images.ts";
import { startLocalKernel } from "./local_link.ts";
import { ModelRuntime } from "./model_runtime.ts";

/** Event of a session in one's own process, messages included. */
export type LocalSessionEvent = SessionEvent | PluginRunEvent | ToolDeniedEvent;

/** Hears what happens; awaited. */
export type LocalSessionListener = (
  event: LocalSessionEvent,
) => void | Promise<void>;

/** Parts of a session in one's own process. */
export interface CreateAgentSessionOptions extends LimitOptions {
  /** Models, their keys and the way to ask them. Default: those of the environment, `await ModelRuntime.create()`. */
  modelRuntime?: ModelRuntime;
  /** Answers. Default: the default model of `modelRuntime`. */
  model?: Model;
  /** Default `off`. */
  thinkingLevel?: ThinkingLevel;
  /** Asks the user; undefined when nobody answers. Absent where nobody can be asked. */
  ask?(
    dialog: PluginDialog,
    signal?: AbortSignal,
  ): Promise<PluginDialogAnswer>;
  /** Asks a server for a plugin. Absent where plugins have no network. */
  fetch?(url: string, options: PluginFetchOptions): Promise<PluginFetchResult>;
  /** Ends every process with `TAU_CALL=marker` in its environment. Default: a command that left its process group outlives its call. */
  killCall?(marker: string): Promise<void>;
  /** The working folder. Default: that of the process. */
  cwd?: string;
  /** Tools beside the built-in ones, in whose place they stand where a name is the same. They get the whole context of a tool. */
  customTools?: readonly AnyToolDefinition[];
  /** The only tools that are active, or can be. Default: read, bash, edit, write, the custom ones and those of plugins. */
  tools?: readonly string[];
  /** Tools that are never active. */
  excludeTools?: readonly string[];
  /** Plugins: files, or folders with a `mod.ts` or `index.ts`. They run with the rights of this process. */
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

/** Where sessions are kept. */
export const SessionManager = {
  /** Keeps a session in memory, for as long as the object lives. */
  inMemory: (): MemorySession => new MemorySession(),
};

/**
 * Makes a session that runs in this process: the one that the program runs,
 * without a sandbox or a file. Rejects for a tool that does not exist, and with
 * a `ModelError` where no model is named and there is a key for none. A plugin
 * that cannot be loaded is told of by `pluginEvents`.
 */
export async function createAgentSession(
  given: CreateAgentSessionOptions = {},
): Promise<{ session: EmbeddedSession }> {
  if ("services" in given) throw new TypeError(NO_SERVICES);
  const { modelRuntime = await ModelRuntime.create() } = given;
  const { model = modelRuntime.defaultModel } = given;
  const options = { ...given, modelRuntime, model };
  const { sessionManager = new MemorySession() } = options;
  const outputDir = await Deno.makeTempDir({ prefix: "tau-" });
  try {
    const cwd = await Deno.realPath(options.cwd ?? Deno.cwd());
    const session = new LocalSession(options, {
      cwd,
      outputDir,
      keeper: sessionManager,
    });
    await session.begin();
    return { session };
  } catch (error) {
    await Deno.remove(outputDir, { recursive: true });
    throw error;
  }
}

const NO_SERVICES =
  'createAgentSession() has no option "services" any more. In place of ' +
  "const session = await createAgentSession({ services: { streamModel, ask, fetch, killCall }, … }) " +
  "write const { session } = await createAgentSession({ modelRuntime: await ModelRuntime.create({ streamFn: streamModel }), ask, fetch, killCall, … })";

/** Options with all that has a default. */
type LocalOptions =
  & CreateAgentSessionOptions
  & Required<Pick<CreateAgentSessionOptions, "modelRuntime" | "model">>;

class LocalSession implements EmbeddedSession {
  readonly #options: LocalOptions;
  readonly #cwd: string;
  readonly #outputDir: string;
  readonly #keeper: SessionKeeper;
  readonly #listeners: Listeners;
  readonly #served: KernelSession;
  readonly #builtIn: ServedTool[];
  readonly #kernel: ReturnType<typeof startLocalKernel>;
  #session!: AgentSession;
  #messageCount = 0;
  #run: { abort: AbortController; ended: Promise<unknown> } | undefined;
  #runNumber: number | null = null;
  #runs = 0;
  #idle = Promise.withResolvers<void>();
  #isDisposed = false;

  pluginEvents: readonly LocalSessionEvent[] = [];

  constructor(
    options: LocalOptions,
    { cwd, outputDir, keeper }: {
      cwd: string;
      outputDir: string;
      keeper: SessionKeeper;
    },
  ) {
    this.#options = options;
    this.#cwd = cwd;
    this.#outputDir = outputDir;
    this.#keeper = keeper;
    this.#listeners = new Listeners(keeper);
    const { ask, killCall, customTools = [] } = options;
    const setup = this.#setup();
    const factories = createToolFactories(setup, {
      killCall: async (marker) => await killCall?.(marker),
    });
    const definitions = builtInTools(factories);
    this.#builtIn = definitions.map((definition) => this.#local(definition));
    const history = keeper.entries.flatMap((entry): NumberedEntry[] => {
      if (entry.type === "message") {
        const { type, message } = entry;
        return [{ type, message, number: this.#messageCount++ }];
      }
      if (entry.type !== "custom") return [];
      const { type, customType, data } = entry;
      return [withoutUndefined({ type, customType, data })];
    });
    this.#served = new KernelSession({
      history,
      tools: {
        ...(options.tools ? { allowed: this.#active } : {}),
        excluded: [...options.excludeTools ?? []],
        startable: this.#active,
      },
      sessionFile: () => undefined,
      run: () => this.#runNumber,
      builtIn: definitions.map(({ name }) => name),
      calls: {
        ready: () => this.#served.informed(),
        factsOf: () => ({ sessionEnvironment: this.#environment() }),
        afterDeath: (error) => error as Error,
        screen: undefined,
      },
      serving: async () => {
        await this.#kernel.peer.ready;
        return this.#kernel.peer;
      },
      current: () => this.#kernel.peer,
      onRefused: () => {},
      requests: {
        ...(ask ? { ask: (dialog, signal) => ask(dialog, signal) } : {}),
        fetch: (request) => fetched(options, request),
        kill: async (marker) => await killCall?.(marker),
        report: (event) => {
          this.#listeners.hear(event).catch(() => {});
        },
        abort: () => this.abort(),
        shutdown: () => {},
        compact: (instructions) => {
          this.#compactWhenIdle(instructions);
        },
      },
    });
    this.#kernel = startLocalKernel(setup, {
      listener: this.#served.listener,
      more: customTools,
    });
  }

  /** Loads plugins and puts the session together. */
  async begin(): Promise<void> {
    await this.#kernel.peer.declared;
    this.#session = this.#compose();
    const isResumed = this.#keeper.entries.length > 0;
    await this.#served.introduce(
      this.#kernel.peer,
      isResumed ? "resume" : "startup",
    );
    await this.#kernel.peer.ready;
    this.pluginEvents = this.#listeners.begin();
  }

  getActiveToolNames(): string[] {
    return this.#session.tools.activeNames;
  }

  setActiveToolsByName(names: readonly string[]): void {
    this.#session.tools.setActive(names);
  }

  subscribe(listener: LocalSessionListener): () => void {
    return this.#listeners.add(listener);
  }

  get isRunning(): boolean {
    return this.#run !== undefined;
  }

  async prompt(content: string | UserContent[]): Promise<RunOutcome> {
    if (this.#isDisposed) throw new Error("The session is disposed of");
    if (this.#run) throw new Error("Wait until the run has ended, or steer it");
    const abort = new AbortController();
    this.#runNumber = this.#runs++;
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
    if (!this.#run) return;
    this.#run.abort.abort(abortReason());
    this.#kernel.peer.send({ type: "cancel_run" });
  }

  async dispose(): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.abort();
    await this.#run?.ended;
    await this.#kernel.close();
    this.#listeners.clear();
    await Deno.remove(this.#outputDir, { recursive: true });
  }

  get #active(): string[] {
    const { customTools = [], excludeTools, tools } = this.#options;
    const names = tools ??
      [...DEFAULT_TOOLS, ...customTools.map(({ name }) => name)];
    return names.filter((name) => !excludeTools?.includes(name));
  }

  #setup(): KernelSetup {
    const { plugins = [], env = Deno.env.toObject() } = this.#options;
    const { ask, policy } = this.#options;
    const cwd = this.#cwd;
    const homeDir = env.HOME ?? env.USERPROFILE;
    return {
      sessionId: this.#keeper.id,
      cwd,
      mode: ask ? "rpc" : "print",
      hasUI: ask !== undefined,
      plugins: {
        paths: plugins.map((path) => resolvePath(path, { cwd, homeDir })),
        folders: [],
        isProjectTrusted: false,
      },
      policy: policy ?? { readRoots: [cwd], writeRoots: [cwd] },
      environment: childEnvironment(env),
      homeDir,
      outputDir: this.#outputDir,
    };
  }

  #compose(): AgentSession {
    const { model, thinkingLevel, modelRuntime, context, tools, excludeTools } =
      this.#options;
    this.#checkNames();
    const { env = Deno.env.toObject() } = this.#options;
    const places = { cwd: this.#cwd, homeDir: env.HOME ?? env.USERPROFILE };
    return composeSession({
      cwd: this.#cwd,
      model,
      thinkingLevel,
      entries: [...this.#keeper.entries],
      builtIn: this.#builtIn,
      server: this.#served,
      tools: {
        active: this.#active,
        allowed: tools ? this.#active : undefined,
        excluded: excludeTools,
      },
      streamFn: (model, context, options) => {
        const hooks = this.#served.hooks.provider(options?.signal, model);
        return modelRuntime.streamSimple(model, context, {
          ...options,
          ...(hooks ? { hooks } : {}),
        });
      },
      emit: (event) => this.#emit(event),
      rules: [],
      asksForCommands: () => false,
      async locate(path) {
        const written = resolvePath(path, places);
        return { written, real: (await resolveRealPath(written, Deno)).path };
      },
      limits: limitsIn(this.#options),
      promptContext: context,
    });
  }

  #checkNames(): void {
    const known = new Set(
      [...this.#served.tools, ...this.#builtIn].map(({ tool }) => tool.name),
    );
    const { plugins = [] } = this.#served.declaration ?? {};
    for (const name of this.#options.tools ?? []) {
      if (known.has(name)) continue;
      if (plugins.length === 0) {
        throw new UnknownToolError(
          `Unknown tool "${name}"; available are ${[...known].join(", ")}`,
        );
      }
      this.#listeners.hear({
        type: "plugin_notice",
        name: "tau",
        level: "warning",
        message:
          `There is no tool "${name}", unless a plugin registers it later`,
      }).catch(() => {});
    }
  }

  /** A tool that runs here, with the context of this session. */
  #local(definition: AnyToolDefinition): ServedTool {
    const { promptSnippet, promptGuidelines } = definition;
    return withoutUndefined({
      promptSnippet,
      promptGuidelines,
      tool: wrapToolDefinition(
        definition,
        (_toolCallId, signal) =>
          withoutUndefined({
            cwd: this.#cwd,
            sessionEnvironment: this.#environment(),
            signal,
          }),
      ),
    });
  }

  #environment(): Record<string, string> {
    const { model, thinkingLevel } = this.#session.answers;
    return {
      TAU_SESSION_ID: this.#keeper.id,
      TAU_PROVIDER: model.provider,
      TAU_MODEL: model.id,
      TAU_REASONING_LEVEL: thinkingLevel,
    };
  }

  #emit(
    event: SessionEvent | ToolDeniedEvent,
  ): Promise<void> {
    if (event.type === "message_end") {
      this.#served.note(event.message, this.#messageCount++);
    }
    return this.#listeners.hear(event);
  }

  async #answer(
    content: string | UserContent[],
    signal: AbortSignal,
  ): Promise<RunOutcome> {
    let outcome: RunOutcome;
    try {
      const said = await this.#heard(content, "prompt");
      outcome = await this.#session.run(said, signal);
    } finally {
      this.#runNumber = null;
    }
    this.#idle.resolve();
    this.#idle = Promise.withResolvers();
    await this.#served.settled(outcome.kind === "aborted");
    return outcome;
  }

  async #heard(
    content: string | UserContent[],
    source: "prompt" | "steer" | "follow_up",
  ): Promise<string | UserContent[] | undefined> {
    return await this.#served.input(await inlineImages(content), source);
  }

  async #compactWhenIdle(instructions: string | undefined): Promise<void> {
    while (this.#session.isRunning) await this.#idle.promise;
    // An event tells why there is no summary.
    await this.#session.compact(instructions).catch(() => {});
  }
}

async function fetched(
  { fetch }: Pick<CreateAgentSessionOptions, "fetch">,
  { url, body, ...request }: FetchRequest,
): Promise<JsonObject> {
  if (!fetch) throw new Error("Plugins have no network in this session");
  const answer = await fetch(url, {
    ...request,
    ...(body === undefined ? {} : { body: Uint8Array.fromBase64(body) }),
  });
  const { status, headers } = answer;
  return { status, headers, body: answer.body.toBase64() };
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
