import { abortReason } from "../model/abort_reason.ts";
import type { ReadContext } from "../context/read_context.ts";
import type { JsonObject, UserContent } from "../model/content.ts";
import { startLightTimer } from "../model/light_timer.ts";
import type { ThinkingLevel } from "../model/model.ts";
import type { DeltaSource } from "../model/stream.ts";
import { withoutUndefined } from "../model/without_undefined.ts";
import type { PermissionPolicy } from "../policy/permission_policy.ts";
import type { PermissionRule } from "../policy/permission_rule.ts";
import type { AgentSession } from "../session/agent_session.ts";
import { UnknownToolError } from "../session/approvals.ts";
import { composeSession } from "../session/compose_session.ts";
import type { PromptContext } from "../session/prompt_context.ts";
import type { RunOutcome } from "../session/run_outcome.ts";
import type { ServedTool } from "../session/tool_server.ts";
import { UsageError } from "../settings/usage_error.ts";
import type { ChosenModel } from "./choose_model.ts";
import type { Confinement } from "./confinement.ts";
import type { ControlFilePlaces } from "./control_file_scan.ts";
import { gitFolders } from "./git_folders.ts";
import { builtInDefinitions } from "./kernel/built_in_definitions.ts";
import { afterDeath } from "./kernel/kernel_gone_error.ts";
import type { KernelPeer } from "./kernel/kernel_peer.ts";
import { builtInTool, type KernelToolParts } from "./kernel/kernel_tools.ts";
import { locatePath } from "./locate_path.ts";
import { ModelDesk } from "./model_desk.ts";
import { placeRules } from "./place_rules.ts";
import { PluginFlagError } from "./plugin_flag_values.ts";
import { type PluginFolders, pluginFolders } from "./plugin_folders.ts";
import { ReplayedCalls } from "./replayed_calls.ts";
import { type LaunchFacts, planGrants, type RunGrants } from "./run_grants.ts";
import { activeTools, runsCommands, unconfinedLine } from "./run_kind.ts";
import type { RunListener, RunOptions, StopReason } from "./run_options.ts";
import { goalSetup, type RunRecord } from "./run_record.ts";
import type { RunSession } from "./run_session.ts";
import type { RunTape } from "./run_tape.ts";
import { type SessionCommand, SessionCommands } from "./session_commands.ts";
import { SessionEvents } from "./session_events.ts";
import type { SessionKernels } from "./session_kernels.ts";
import { NamedPluginError, refuseUnknownNames } from "./unknown_names.ts";
import { type BashRunner, checkRunner } from "./user_shell.ts";
import { within } from "./within.ts";

/** After so long a request has left this machine. */
const ON_ITS_WAY_MS = 10;
/** Time for a stopped run to answer open calls and to end. */
const STOP_GRACE_MS = 1000;
/** Time that a run which used its kernel waits for what its probes found. */
const PROBE_GRACE_MS = 500;
/** Time that a run which needs a sandbox waits for the kernel's probes. */
const MAX_PROBE_MS = 10_000;
/** Time for plugins to end what they have begun. */
const CLOSE_GRACE_MS = 2000;

/** Parts of a session beside its options. */
export interface SessionHostParts {
  listener: RunListener;
  record: RunRecord;
  chosen: ChosenModel;
  /** Called once, by `start`. */
  source(): Promise<DeltaSource>;
  /** A private folder for the full output of long commands. */
  outputDir: string;
  confinement: Confinement;
  /** Session that stores the messages, if there is one. */
  session?: RunSession | undefined;
  /** Records the run, or has answers for it. */
  tape?: RunTape | undefined;
  /** Texts for the model beside the prompt of the options, which it holds. */
  told?: ReadContext | undefined;
}

/** A run that goes on. */
interface OpenRun {
  record: RunRecord;
  abort: AbortController;
  /** Resolves when it must end before its time. */
  stopped: PromiseWithResolvers<void>;
  hasEnded: boolean;
}

/**
 * A session in this process, over kernels that serve its tools and plugins:
 * runs prompts, keeps what happens, and sees every process of the run dead.
 */
export class SessionHost {
  readonly #options: RunOptions;
  readonly #parts: SessionHostParts;
  readonly #grants: RunGrants;
  readonly #rules: PermissionRule[];
  /** Marks each process of the run, in its environment. */
  readonly #marker = crypto.randomUUID();
  readonly #plugins: PluginFolders;
  readonly #calls: KernelToolParts;
  readonly #replayed: ReplayedCalls | undefined;
  /** The kernels, once something has needed them. */
  #kernels: SessionKernels | undefined;
  #loading: Promise<SessionKernels> | undefined;
  readonly #models: ModelDesk;
  readonly #builtIn: ServedTool[];
  readonly #events: SessionEvents;
  readonly #commands: SessionCommands;
  #session: AgentSession | undefined;
  /** Resolves when there is a session, or when there will be none. */
  readonly #composed = Promise.withResolvers<void>();
  /** For what is done while the first request is under way. */
  #stopWaiting: (() => void) | undefined;
  readonly #source = Promise.withResolvers<DeltaSource>();
  /** The run that goes on, or the last one. */
  #run: OpenRun | undefined;
  /** Number of the prompt that is being answered. */
  #runNumber: number | null = null;
  #runs = 0;
  /** Paths that rules were asked about, by the call. */
  readonly #judged = new Map<string, string>();
  #idle = Promise.withResolvers<void>();
  /** A call was made, or code of plugins was run. */
  #hasActed = false;
  /** Reason why the sandbox that a run needs does not hold. */
  #leak: string | undefined;
  /** Reason why it takes no run with these options. */
  #refusal: string | undefined;
  #isOver = false;
  #closed: Promise<void> | undefined;

  constructor(options: RunOptions, parts: SessionHostParts) {
    const { record: { cwd }, chosen, session, listener } = parts;
    const { env } = options;
    const homeDir = env.HOME ?? env.USERPROFILE;
    this.#options = options;
    this.#parts = parts;
    this.#rules = placeRules(options.rules ?? [], { cwd, homeDir });
    this.#plugins = pluginFolders(options.plugins, { cwd, home: homeDir });
    this.#grants = planGrants(options, this.#facts(parts.confinement));
    if (options.replay?.tools && parts.tape) {
      this.#replayed = new ReplayedCalls(parts.tape, (problem) => {
        const { facts } = this.#record;
        facts.modelError ??= { kind: "replay_miss", message: problem };
        if (this.#run) this.#abortRun(this.#run);
      });
    }
    const { render } = options;
    this.#calls = {
      ready: () => this.#peerForCalls(),
      factsOf: (toolCallId) => this.#factsOf(toolCallId),
      afterDeath,
      screen: render && { cwd, ...render },
    };
    this.#builtIn = builtInDefinitions(options).map((definition) =>
      this.#adapt(builtInTool(definition, this.#calls))
    );
    this.#models = new ModelDesk({
      source: this.#source.promise,
      model: chosen.model,
      apiKey: chosen.apiKey,
      admit: () => this.#admit(),
      hooks: (signal, model) =>
        this.#kernels?.served.hooks.provider(signal, model),
    });
    this.#events = new SessionEvents(options, {
      listener,
      session,
      tape: parts.tape,
      run: () =>
        this.#run && {
          record: this.#run.record,
          stopped: this.#run.stopped.promise,
        },
      find: (name) => this.#find(name),
      onMessage: (message, number) => {
        if (this.#loads) this.#kernels?.served.note(message, number);
      },
      controlFilePlaces: () => this.#controlFilePlaces(),
    });
    this.#commands = new SessionCommands({
      cwd,
      served: () => this.#kernels?.served,
      hasPlugins: this.#plugins.places !== undefined,
      isRunning: () => this.#isRunning,
      idle: () => this.#idle.promise,
      bash: this.#bash,
      report: (event) => this.#events.report(event),
      heard: async (content, source) =>
        await this.#heard(await this.#inlined(content), source),
    });
  }

  /**
   * Starts the session, and the kernel where something waits for it: plugins,
   * or a sandbox that must be seen to hold. Else it starts when a request is
   * on its way.
   */
  start(): void {
    this.#reportFence(this.#parts.record);
    const { listener, confinement: { requested, reason } } = this.#parts;
    const unconfined = unconfinedLine(this.#options, reason);
    if (unconfined !== undefined) listener.log(unconfined);
    for (const line of this.#plugins.warnings) listener.log(`tau: ${line}`);
    // A plugin may start programs before anybody asks a model.
    if (this.#loads) {
      this.#hasActed = true;
      this.#events.watchControlFiles();
    }
    const begins = this.#loads || requested === "require"
      ? this.#load().then(({ kernel }) => kernel.start())
      : undefined;
    // A kernel that is waited for starts before anything else is loaded.
    if (begins) begins.then(() => this.#takeSource(), () => {});
    else this.#takeSource();
    if (!this.#loads) this.#compose();
  }

  /**
   * Runs one prompt, or goes on with what is queued; one at a time. Resolves
   * when the run is over and its record knows how it came out.
   */
  async run(
    content: string | UserContent[] | undefined,
    { record, stop, timeoutMs }: {
      record: RunRecord;
      /** Aborted with a {@linkcode StopReason}. */
      stop: AbortSignal;
      timeoutMs?: number | undefined;
    },
  ): Promise<void> {
    if (this.#leak !== undefined) {
      record.facts.sandboxFailure = this.#leak;
      this.#reportFence(record);
      return;
    }
    const run: OpenRun = {
      record,
      abort: new AbortController(),
      stopped: Promise.withResolvers(),
      hasEnded: false,
    };
    this.#run = run;
    this.#runNumber = this.#runs++;
    this.#models.usage = record.usage;
    this.#reportFence(record);
    this.#kernels?.kernel.forgive();
    this.#kernels?.served.begin();
    const stopFor = (reason: StopReason | "timeout") => {
      const { facts } = record;
      if (reason === "timeout") facts.timedOut = true;
      else if (reason === "stdout_closed") facts.stdoutClosed = true;
      else facts.stoppedBy ??= reason;
      this.#abortRun(run);
      run.stopped.resolve();
    };
    const onStop = () => stopFor(stop.reason as StopReason);
    stop.addEventListener("abort", onStop, { once: true });
    const deadline = timeoutMs === undefined
      ? undefined
      : setTimeout(() => stopFor("timeout"), timeoutMs);
    const ended = this.#answer(content, run.abort.signal)
      .catch((error): RunOutcome => ({
        kind: "failed",
        message: error instanceof Error ? error.message : String(error),
      }))
      .then((outcome) => {
        if (run.hasEnded) return;
        run.hasEnded = true;
        record.noteOutcome(outcome);
      });
    try {
      if (stop.aborted) onStop();
      await Promise.race([ended, run.stopped.promise]);
      // A run that does not end by itself waits for the kernel.
      if (!await within(STOP_GRACE_MS, ended)) {
        this.#kernels?.kernel.kill();
        await within(STOP_GRACE_MS, ended);
        run.hasEnded = true;
      }
      if (this.#hasActed && this.#kernels?.kernel.hasServed) {
        await this.#kernels.tried(PROBE_GRACE_MS);
      }
    } finally {
      this.#reportFence(record);
      clearTimeout(deadline);
      stop.removeEventListener("abort", onStop);
    }
  }

  /** Permissions of the run. */
  get policy(): PermissionPolicy {
    return (this.#kernels?.fence.launch ?? this.#grants).policy;
  }

  /** Has the kernel try what it must not do; what came of it is in the record of the start. Rejects with a `UsageError` when it takes no run. */
  async probe(limitMs: number): Promise<void> {
    const { kernel, fence } = await this.#load();
    kernel.start();
    fence.try();
    const ended = kernel.over.then((failure) => {
      throw new Error(failure ?? "The kernel has ended");
    });
    ended.catch(() => {});
    const tried = Promise.race([fence.tried(), ended])
      // Which tools there are is known to it alone, where it loads any.
      .then(() => this.#composed.promise);
    await within(limitMs, tried);
    if (this.#refusal !== undefined) throw new UsageError(this.#refusal);
    this.#reportFence(this.#parts.record);
  }

  /** True when it can run nothing any more. */
  get isOver(): boolean {
    return this.#isOver || this.#kernels?.kernel.isOver === true;
  }

  /** Does something beside a run. Rejects with what is wrong. */
  async command(
    command: SessionCommand,
    signal?: AbortSignal,
  ): Promise<JsonObject | undefined> {
    await this.#composed.promise;
    const session = this.#session;
    if (!session) throw new Error(this.#refusal ?? "The kernel has ended");
    return await this.#commands.run(session, command, signal);
  }

  /** Has another model answer from the next request on. */
  async useModel(
    chosen: ChosenModel,
    source: Promise<DeltaSource>,
  ): Promise<void> {
    const { model, apiKey } = chosen;
    const thinkingLevel: ThinkingLevel = chosen.thinkingLevel ?? "off";
    await this.#composed.promise;
    const session = this.#session;
    if (!session) throw new Error("The kernel has ended");
    const before = session.answers;
    this.#models.use({ model, apiKey, source });
    session.useModel(model, thinkingLevel);
    await this.#kernels?.served.modelChanged(before, session.answers);
  }

  /** Ends the kernel and all of its processes. */
  async close(): Promise<void> {
    await this.#sayGoodbye();
    this.#isOver = true;
    if (this.#run && !this.#run.hasEnded) this.#abortRun(this.#run);
    this.#run?.stopped.resolve();
    this.#closed ??= this.#cleanUp();
    await this.#closed;
  }

  /** Tells of the control files that the run has changed. Once its processes are dead, or stay. */
  async checkControlFiles(record: RunRecord): Promise<void> {
    if (!this.#hasActed) return;
    await this.#events.checkControlFiles(record);
  }

  /** True where the kernel brings something before it serves. */
  get #loads(): boolean {
    return this.#plugins.places !== undefined ||
      this.#options.kernel.bringsTools === true;
  }

  /** True where a call may come for a kernel. */
  get #hasTools(): boolean {
    return !this.#options.replay?.tools &&
      activeTools(this.#options).length > 0;
  }

  get #sessionFile(): string | undefined {
    const { file, stored } = this.#parts.session?.report() ?? {};
    return stored ? file : undefined;
  }

  /** Writes what is known of the sandbox into a record; where no kernel came as far as to serve, it claims nothing. */
  #reportFence(record: RunRecord): void {
    record.granted = this.#grants.granted;
    this.#kernels?.fence.report(record);
    if (this.#kernels?.kernel.hasServed) return;
    if (record.facts.sandboxFailure !== undefined) return;
    const { requested } = this.#parts.confinement;
    record.sandbox = { requested, state: "unused" };
  }

  #facts(confinement: Confinement): LaunchFacts {
    const { record: { cwd }, told, session, outputDir } = this.#parts;
    return {
      cwd,
      outputDir,
      confinement,
      readable: [...told?.skillFolders ?? [], ...this.#plugins.readable],
      sessionFile: session?.report().file,
      rules: this.#rules,
      marker: this.#marker,
      canRun: runsCommands(this.#options),
    };
  }

  #takeSource(): void {
    this.#source.promise.catch(() => {});
    this.#parts.source().then(this.#source.resolve, this.#source.reject);
  }

  /** The record of the run that goes on, or of the last one; that of the start before the first. */
  get #record(): RunRecord {
    return this.#run?.record ?? this.#parts.record;
  }

  /** Loads the code of kernels, which a run without calls does not need. */
  #load(): Promise<SessionKernels> {
    this.#loading ??= this.#loadKernels();
    // Nothing else hears of a failure when nobody awaits this.
    this.#loading.catch((error) => this.#kernelIsOver(String(error)));
    return this.#loading;
  }

  async #loadKernels(): Promise<SessionKernels> {
    const { SessionKernels } = await import("./session_kernels.ts");
    const { record, session, listener, confinement } = this.#parts;
    const { ask } = listener;
    const kernels = new SessionKernels(this.#options, {
      sessionId: record.sessionId,
      plugins: this.#plugins,
      confinement,
      grants: this.#grants,
      facts: (confinement) => this.#facts(confinement),
      listener,
      record: () => this.#record,
      served: {
        history: this.#loads ? session?.history ?? [] : [],
        tools: {
          allowed: this.#options.tools,
          excluded: this.#options.excludeTools ?? [],
          startable: activeTools(this.#options),
        },
        sessionFile: () => this.#sessionFile,
        run: () => this.#runNumber,
        builtIn: this.#builtIn.map(({ tool }) => tool.name),
        calls: this.#calls,
        onRefused: ({ access, count }) =>
          this.#run?.record.denials.noteRefused(access, count),
        adapt: (tool) => this.#adapt(tool),
        requests: {
          ...(ask ? { ask: (dialog, signal) => ask(dialog, signal) } : {}),
          report: (event) => this.#events.report(event),
          abort: () => this.#run?.abort.abort(abortReason()),
          shutdown: () => listener.leave?.(),
          compact: (instructions) => {
            const session = this.#session;
            if (session) this.#commands.compactWhenIdle(session, instructions);
          },
        },
      },
      introduce: (peer) => this.#introduce(peer),
      onLeak: (leak) => this.#noteLeak(leak),
    });
    this.#kernels = kernels;
    kernels.kernel.over.then((reason) => this.#kernelIsOver(reason));
    return kernels;
  }

  #kernelIsOver(reason: string | undefined): void {
    const { facts } = this.#record;
    // A kernel that could not begin is not what is to be blamed.
    const isBlamed = reason !== undefined && !this.#run?.hasEnded &&
      facts.sandboxFailure === undefined;
    if (isBlamed) facts.kernelFailure ??= reason;
    if (this.#run) this.#abortRun(this.#run);
    this.#composed.resolve();
  }

  /** The kernel has said what it brings: gives it the session. */
  #introduce(peer: KernelPeer): void | Promise<void> {
    if (this.#options.plugins?.inspection) {
      peer.ready.then(() => this.#composed.resolve(), () => {});
      return;
    }
    const isFirst = !this.#session;
    if (isFirst) this.#compose();
    if (!this.#session) return new Promise(() => {});
    const isResumed = !isFirst ||
      (this.#parts.session?.history.length ?? 0) > 0;
    return this.#kernels?.served.introduce(
      peer,
      isResumed ? "resume" : "startup",
    );
  }

  /** Puts the session together; where the options are wrong, no run is taken. */
  #compose(): void {
    try {
      this.#session = this.#composeSession();
    } catch (error) {
      const isUsage = error instanceof UnknownToolError ||
        error instanceof PluginFlagError || error instanceof NamedPluginError;
      if (!isUsage) throw error;
      this.#refusal = error.message;
    }
    this.#composed.resolve();
  }

  #composeSession(): AgentSession {
    const options = this.#options;
    const { record: { cwd }, chosen, session, listener, told } = this.#parts;
    const { env, mode = "print", goals } = options;
    const served = this.#kernels?.served;
    const names = [...served?.tools ?? [], ...this.#builtIn]
      .map(({ tool }) => tool.name);
    const missing = refuseUnknownNames(options, {
      declared: served?.declaration,
      toolNames: new Set(names),
    });
    for (const name of missing) {
      this.#events.report({
        type: "plugin_notice",
        name: "tau",
        level: "warning",
        message:
          `There is no tool "${name}", unless a plugin registers it later`,
      });
    }
    const locate = (path: string) =>
      locatePath(path, { cwd, homeDir: env.HOME ?? env.USERPROFILE });
    const check = goals?.check;
    const { ask } = listener;
    return composeSession({
      cwd,
      model: chosen.model,
      thinkingLevel: chosen.thinkingLevel,
      entries: session?.entries ?? [],
      builtIn: this.#builtIn,
      server: served,
      tools: {
        active: activeTools(options),
        allowed: this.#loads ? options.tools : undefined,
        excluded: options.excludeTools,
      },
      streamFn: this.#models.stream,
      emit: (event) => this.#events.emit(event),
      ...(ask
        ? {
          ask: (dialog, signal) =>
            ask(dialog, signal ?? new AbortController().signal),
        }
        : {}),
      rules: this.#rules,
      // Nothing else stands between a command and the machine.
      asksForCommands: async () => mode === "tui" && await this.#isUnconfined(),
      locate,
      onJudged: (toolCallId, path) => this.#judged.set(toolCallId, path),
      check: check && {
        ...check,
        run: this.#replayed?.check ?? checkRunner(this.#checkBash),
      },
      answerSchema: goals && goalSetup(goals).answerSchema,
      limits: options.limits,
      retry: withoutUndefined({ maxRetries: options.maxRetries }),
      compaction: options.compaction,
      promptContext: told && promptContext(told, listener.log),
    });
  }

  async #isUnconfined(): Promise<boolean> {
    const { kernel, fence } = await this.#load();
    await kernel.serving().catch(() => {});
    return fence.reason !== undefined;
  }

  /** The kernel, once a call may be made. */
  async #peerForCalls(): Promise<KernelPeer> {
    this.#hasActed = true;
    // No call may change what nobody has looked at yet.
    await this.#events.controlFilesKnown();
    const { kernel, served } = await this.#load();
    return await (this.#loads ? served.informed() : kernel.serving());
  }

  #factsOf(
    toolCallId: string,
  ): { sessionEnvironment: Record<string, string>; realPath?: string } {
    const { model, thinkingLevel } = (this.#session as AgentSession).answers;
    const realPath = this.#judged.get(toolCallId);
    this.#judged.delete(toolCallId);
    return withoutUndefined({
      sessionEnvironment: withoutUndefined({
        TAU_SESSION_ID: this.#parts.record.sessionId,
        TAU_PROVIDER: model.provider,
        TAU_MODEL: model.id,
        TAU_REASONING_LEVEL: thinkingLevel,
        TAU_SESSION_FILE: this.#sessionFile,
      }),
      realPath,
    });
  }

  #adapt(served: ServedTool): ServedTool {
    return this.#replayed?.tool(served) ?? served;
  }

  readonly #checkBash: BashRunner = async (...call) => {
    this.#hasActed = true;
    await this.#events.controlFilesKnown();
    const { kernel, runAlone } = await this.#load();
    // Once a kernel serves, it is known that the sandbox starts.
    if (!this.#loads) await kernel.serving();
    return await runAlone(...call);
  };

  readonly #bash: BashRunner = async (...call) => {
    const peer = await this.#peerForCalls();
    const kernels = await this.#load();
    return await kernels.run(peer, ...call);
  };

  async #answer(
    content: string | UserContent[] | undefined,
    signal: AbortSignal,
  ): Promise<RunOutcome> {
    await Promise.race([this.#composed.promise, aborted(signal)]);
    if (this.#options.plugins?.inspection) {
      return { kind: this.isOver ? "aborted" : "completed" };
    }
    if (this.#refusal !== undefined) {
      return { kind: "usage_error", message: this.#refusal };
    }
    const session = this.#session;
    if (!session) return { kind: "aborted" };
    // Plugins hear that the session begins before anybody says anything.
    if (this.#loads) {
      const serving = this.#kernels?.kernel.serving().catch(() => {});
      await Promise.race([serving, aborted(signal)]);
      if (signal.aborted) return { kind: "aborted" };
    }
    await this.#commands.settled();
    let outcome: RunOutcome;
    try {
      const said = content === undefined
        ? undefined
        : await this.#heard(await this.#inlined(content), "prompt", signal);
      outcome = await session.run(said, signal);
    } finally {
      this.#runNumber = null;
    }
    this.#idle.resolve();
    this.#idle = Promise.withResolvers();
    await this.#kernels?.served.settled(outcome.kind === "aborted");
    return outcome;
  }

  /** A prompt whose images are fit for a request. They are decoded in a kernel: an image may be made to break its decoder. */
  async #inlined(
    content: string | UserContent[],
  ): Promise<string | UserContent[]> {
    if (typeof content === "string") return content;
    if (content.every(({ type }) => type === "text")) return content;
    const { kernel } = await this.#load();
    const peer = await kernel.serving();
    return (await peer.ask("image", { content })).content;
  }

  /** Returns the user's text as plugins leave it; undefined when one has dealt with it, and may have queued something in its place. */
  async #heard(
    said: string | UserContent[],
    source: "prompt" | "steer" | "follow_up",
    signal?: AbortSignal,
  ): Promise<string | UserContent[] | undefined> {
    const { served } = (this.#loads && this.#kernels) || {};
    return served ? await served.input(said, source, signal) : said;
  }

  get #isRunning(): boolean {
    return this.#runNumber !== null;
  }

  #abortRun(run: OpenRun): void {
    const reason = abortReason();
    run.abort.abort(reason);
    this.#commands.abort(reason);
    this.#kernels?.kernel.current?.send({ type: "cancel_run" });
  }

  #find(name: string): ServedTool | undefined {
    const isIt = ({ tool }: ServedTool) => tool.name === name;
    return this.#kernels?.served.tools.find(isIt) ?? this.#builtIn.find(isIt);
  }

  /** Lets plugins hear of the end, where a kernel that still answers has any. */
  async #sayGoodbye(): Promise<void> {
    const isIdle = !this.#run || this.#run.hasEnded;
    const { kernel, served } = this.#kernels ?? {};
    const peer = kernel?.current;
    if (this.#isOver || !isIdle || !served?.hasPlugins || !peer) return;
    peer.close();
    kernel?.expectEnd();
    await within(CLOSE_GRACE_MS, kernel?.over);
  }

  /** Sees everything of the run ended. */
  async #cleanUp(): Promise<void> {
    this.#stopWaiting?.();
    const answered = this.#models.close();
    try {
      const kernels = await this.#loading?.catch(() => undefined);
      await kernels?.close();
    } finally {
      await answered;
    }
  }

  /** Does what has time until the first request is answered. */
  async #useWait(): Promise<void> {
    if (!this.#hasTools && !this.#kernels) return;
    const kernels = await this.#load();
    if (this.#isOver) return;
    kernels.kernel.start();
    this.#events.watchControlFiles();
    kernels.fence.try();
    kernels.warm();
  }

  /** Holds the first request back until a sandbox that is required was seen to hold. */
  #admit(): Promise<void> | undefined {
    this.#stopWaiting ??= startLightTimer(
      ON_ITS_WAY_MS,
      () => this.#useWait().catch(() => {}),
    );
    if (!this.#isRequired) return undefined;
    return this.#load().then((kernels) => kernels.tried(MAX_PROBE_MS))
      .then(() => {
        if (this.#leak !== undefined) throw new Error(this.#leak);
      });
  }

  /** True where a run without a sandbox is to end. */
  get #isRequired(): boolean {
    return this.#parts.confinement.requested === "require";
  }

  #noteLeak(leak: string): void {
    if (!this.#isRequired || !this.#run) return;
    this.#leak ??= leak;
    this.#run.record.facts.sandboxFailure ??= leak;
    this.#abortRun(this.#run);
  }

  /** Folders in which commands may change files that start programs. */
  #controlFilePlaces(): ControlFilePlaces | undefined {
    if (!runsCommands(this.#options)) return undefined;
    const { record: { cwd }, outputDir } = this.#parts;
    const writable = this.policy.children.writeRoots
      .filter((root) => root !== "/" && root !== outputDir);
    return { roots: [cwd, ...writable], gitFolders: gitFolders(cwd).folders };
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function promptContext(
  { context, readInstructions }: ReadContext,
  log: (line: string) => void,
): PromptContext {
  const { files, warnings } = readInstructions();
  for (const line of warnings) log(`tau: ${line}`);
  return { ...context, instructions: files };
}
