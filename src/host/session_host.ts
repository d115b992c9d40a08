import { abortReason } from "../model/abort_reason.ts";
import type { AgentToolResult } from "../agent/agent_tool.ts";
import { ToolError } from "../agent/tool_error.ts";
import type { ReadContext } from "../context/read_context.ts";
import type { JsonObject, UserContent } from "../model/content.ts";
import { startLightTimer } from "../model/light_timer.ts";
import { textOf } from "../model/message.ts";
import type { ThinkingLevel } from "../model/model.ts";
import type { DeltaSource } from "../model/stream.ts";
import { withoutUndefined } from "../model/without_undefined.ts";
import { deniedPathPatterns } from "../policy/denied_paths.ts";
import type { PermissionPolicy } from "../policy/permission_policy.ts";
import type { PermissionRule } from "../policy/permission_rule.ts";
import type { KernelSetup, ProbeTargets } from "../protocol/kernel_messages.ts";
import { killMarkedProcesses } from "../sandbox/marked_processes.ts";
import type { AgentSession } from "../session/agent_session.ts";
import { UnknownToolError } from "../session/approvals.ts";
import type { CheckRunner } from "../session/check_goal.ts";
import { composeSession } from "../session/compose_session.ts";
import type { PromptContext } from "../session/prompt_context.ts";
import type { RunOutcome } from "../session/run_outcome.ts";
import type { ServedTool } from "../session/tool_server.ts";
import { UsageError } from "../settings/usage_error.ts";
import type { ChosenModel } from "./choose_model.ts";
import { runInCheckKernel } from "./check_kernel.ts";
import type { Confinement } from "./confinement.ts";
import type { ControlFilePlaces } from "./control_file_scan.ts";
import { gitFolders } from "./git_folders.ts";
import { builtInDefinitions } from "./kernel/built_in_definitions.ts";
import { Kernel, type KernelDeath } from "./kernel/kernel.ts";
import { KernelGoneError, type KernelPeer } from "./kernel/kernel_peer.ts";
import { KernelSession } from "./kernel/kernel_session.ts";
import { builtInTool, type KernelToolParts } from "./kernel/kernel_tools.ts";
import { KernelFence } from "./kernel_fence.ts";
import { planLaunch } from "./kernel_launch.ts";
import type { KernelLaunch } from "./kernel_program.ts";
import { KernelProcess, type KernelProcessOptions } from "./kernel_process.ts";
import { locatePath } from "./locate_path.ts";
import { ModelDesk } from "./model_desk.ts";
import { placeRules } from "./place_rules.ts";
import { checkFlagValues, PluginFlagError } from "./plugin_flag_values.ts";
import { pluginFetch } from "./plugin_fetch.ts";
import { type PluginFolders, pluginFolders } from "./plugin_folders.ts";
import type { RunListener, RunOptions, StopReason } from "./run_options.ts";
import { activeTools, runsCommands } from "./run_kind.ts";
import { goalSetup, type RunRecord } from "./run_record.ts";
import type { RunSession } from "./run_session.ts";
import type { RunTape } from "./run_tape.ts";
import { type SessionCommand, SessionCommands } from "./session_commands.ts";
import { SessionEvents } from "./session_events.ts";
import { type BashRunner, callBash, checkRunner } from "./user_shell.ts";
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
  /** Called once, while the kernel starts. */
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
  readonly #fence: KernelFence;
  readonly #rules: PermissionRule[];
  /** Marks each process of the run, in its environment. */
  readonly #marker = crypto.randomUUID();
  readonly #plugins: PluginFolders;
  readonly #kernel: Kernel;
  readonly #models: ModelDesk;
  /** Plugins, and tools that the kernel brings. */
  readonly #served: KernelSession;
  readonly #builtIn: ServedTool[];
  readonly #events: SessionEvents;
  readonly #commands: SessionCommands;
  #session: AgentSession | undefined;
  /** Resolves when there is a session, or when there will be none. */
  readonly #composed = Promise.withResolvers<void>();
  /** Resolves when the next start is as quick as it can be. */
  #warmed: Promise<void> | undefined;
  /** For what is done while the first request is under way. */
  #stopWaiting: (() => void) | undefined;
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
    this.#fence = new KernelFence({
      confinement: parts.confinement,
      plan: (confinement) => this.#planLaunch(confinement),
      alter: options.kernel.alterLaunch,
      isCompiled: options.kernel.selfArgument !== undefined,
      send: (targets) => this.#probe(targets),
    });
    const { ask, log } = listener;
    const { render } = options;
    const calls: KernelToolParts = {
      ready: () => this.#peerForCalls(),
      factsOf: (toolCallId) => this.#factsOf(toolCallId),
      afterDeath: (error, hasBegun) => afterDeath(error, hasBegun),
      screen: render && { cwd, ...render },
    };
    const definitions = builtInDefinitions(options);
    this.#builtIn = definitions.map((definition) =>
      this.#replayed(builtInTool(definition, calls))
    );
    this.#served = new KernelSession({
      history: this.#loads ? session?.history ?? [] : [],
      tools: {
        allowed: options.tools,
        excluded: options.excludeTools ?? [],
        startable: activeTools(options),
      },
      sessionFile: () => this.#sessionFile,
      run: () => this.#runNumber,
      builtIn: definitions.map(({ name }) => name),
      calls,
      serving: () => this.#kernel.serving(),
      current: () => this.#kernel.current,
      onRefused: ({ access, count }) =>
        this.#run?.record.denials.noteRefused(access, count),
      adapt: (tool) => this.#replayed(tool),
      requests: {
        ...(ask ? { ask: (dialog, signal) => ask(dialog, signal) } : {}),
        fetch: (request) => pluginFetch(request, this.#fence.launch.policy.net),
        kill: (marker) => killMarkedProcesses("TAU_CALL", marker, this.#marker),
        report: (event) => this.#events.report(event),
        abort: () => this.#run?.abort.abort(abortReason()),
        compact: (instructions) => {
          const session = this.#session;
          if (session) this.#commands.compactWhenIdle(session, instructions);
        },
      },
    });
    this.#kernel = new Kernel({
      startProcess: (heard) => this.#startKernel(heard),
      listener: this.#served.listener,
      loads: () => this.#loads,
      greet: (peer) => peer.send({ type: "start", setup: this.#setup() }),
      introduce: (peer) => this.#introduce(peer),
      print: (line) => log(line),
      recover: () => this.#recover(),
      onDeath: (death) => this.#mourn(death),
      maxFailedStarts: options.plugins?.inspection ? 1 : undefined,
    });
    this.#kernel.over.then((reason) => this.#kernelIsOver(reason));
    this.#models = new ModelDesk({
      source: parts.source(),
      model: chosen.model,
      apiKey: chosen.apiKey,
      admit: () => this.#admit(),
      hooks: (signal, model) => this.#served.hooks.provider(signal, model),
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
        if (this.#loads) this.#served.note(message, number);
      },
      controlFilePlaces: () => this.#controlFilePlaces(),
    });
    this.#commands = new SessionCommands({
      cwd,
      served: this.#served,
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
    const { listener } = this.#parts;
    this.#sayUnconfined();
    for (const line of this.#plugins.warnings) listener.log(`tau: ${line}`);
    if (this.#loads || this.#fence.isRequired) this.#kernel.start();
    // A plugin may start programs before anybody asks a model.
    if (this.#loads) {
      this.#hasActed = true;
      this.#events.watchControlFiles();
    }
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
    this.#kernel.forgive();
    this.#served.begin();
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
        this.#kernel.kill();
        await within(STOP_GRACE_MS, ended);
        run.hasEnded = true;
      }
      if (this.#hasActed && this.#kernel.hasServed) {
        this.#fence.try();
        const probed = Promise.race([this.#fence.tried(), this.#kernel.over]);
        await within(PROBE_GRACE_MS, probed);
      }
    } finally {
      this.#reportFence(record);
      clearTimeout(deadline);
      stop.removeEventListener("abort", onStop);
    }
  }

  /** Permissions of the run. */
  get policy(): PermissionPolicy {
    return this.#fence.launch.policy;
  }

  /** Has the kernel try what it must not do; what came of it is in the record of the start. Rejects with a `UsageError` when it takes no run. */
  async probe(limitMs: number): Promise<void> {
    this.#kernel.start();
    this.#fence.try();
    const ended = this.#kernel.over.then((failure) => {
      throw new Error(failure ?? "The kernel has ended");
    });
    ended.catch(() => {});
    const tried = Promise.race([this.#fence.tried(), ended])
      // Which tools there are is known to it alone, where it loads any.
      .then(() => this.#composed.promise);
    await within(limitMs, tried);
    if (this.#refusal !== undefined) throw new UsageError(this.#refusal);
    this.#reportFence(this.#parts.record);
  }

  /** True when it can run nothing any more. */
  get isOver(): boolean {
    return this.#isOver || this.#kernel.isOver;
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
    await this.#served.modelChanged(before, session.answers);
  }

  /** Ends the kernel and all of its processes. */
  async close(): Promise<void> {
    await this.#sayGoodbye();
    this.#isOver = true;
    if (this.#run && !this.#run.hasEnded) this.#abortRun(this.#run);
    this.#run?.stopped.resolve();
    this.#kernel.close();
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
    this.#fence.report(record);
    const { requested } = record.sandbox;
    const hasFailed = record.facts.sandboxFailure !== undefined;
    if (!this.#kernel.hasServed && !hasFailed) {
      record.sandbox = { requested, state: "unused" };
    }
  }

  #planLaunch(confinement: Confinement): KernelLaunch {
    const { record: { cwd }, told, session, outputDir } = this.#parts;
    return planLaunch(this.#options, {
      cwd,
      outputDir,
      confinement,
      readable: [...told?.skillFolders ?? [], ...this.#plugins.readable],
      sessionFile: session?.report().file,
      rules: this.#rules,
      marker: this.#marker,
      canRun: runsCommands(this.#options),
    });
  }

  #startKernel(
    heard: Pick<KernelProcessOptions, "onSpeaks" | "onPrint" | "onMessage">,
    launch: KernelLaunch = this.#fence.launch,
  ): KernelProcess {
    const { kernel: program, heartbeatMs } = this.#options;
    const { record: { cwd } } = this.#parts;
    const { flags, environment, pluginVariables, cacheVariables, confine } =
      launch;
    return new KernelProcess({
      program,
      flags,
      cwd,
      confine,
      environment: {
        ...environment,
        ...cacheVariables,
        ...(this.#plugins.places ? pluginVariables : {}),
      },
      token: crypto.randomUUID(),
      heartbeatMs,
      ...heard,
      onSpeaks: () => {
        // The files of its start are not needed any more.
        launch.close();
        heard.onSpeaks();
      },
    });
  }

  #setup(): KernelSetup {
    const { record, outputDir, listener } = this.#parts;
    const { env, mode = "print", bashTimeoutMs } = this.#options;
    const { launch } = this.#fence;
    return {
      sessionId: record.sessionId,
      cwd: record.cwd,
      mode,
      hasUI: listener.ask !== undefined,
      plugins: this.#plugins.places &&
        { ...this.#plugins.places, leftOut: this.#served.leftOut },
      policy: {
        ...launch.policy.tools,
        deniedPatterns: deniedPathPatterns(this.#rules),
      },
      bashTimeoutMs,
      environment: launch.environment,
      homeDir: env.HOME ?? env.USERPROFILE,
      outputDir,
    };
  }

  /** A kernel could not begin: where that is the sandbox's fault, goes on without one, or says that it must not. */
  async #recover(): Promise<"again" | "over" | undefined> {
    const record = this.#run?.record ?? this.#parts.record;
    const goesOn = await this.#fence.comeDown({
      record,
      isOver: () => this.#isOver,
    });
    if (goesOn) this.#sayUnconfined();
    if (goesOn) return "again";
    return record.facts.sandboxFailure === undefined ? undefined : "over";
  }

  #sayUnconfined(): void {
    const { reason } = this.#fence;
    if (reason === undefined || !runsCommands(this.#options)) return;
    this.#parts.listener.log(`tau: Commands are not confined: ${reason}`);
  }

  async #mourn({ reason, blamed, openCalls }: KernelDeath): Promise<void> {
    this.#served.forget();
    const { kernels } = this.#run?.record ?? this.#parts.record;
    kernels.push(withoutUndefined({ reason, blamed, openCalls }));
    if (blamed !== undefined) this.#served.leaveOut(blamed, firstLine(reason));
    if (!this.#isOver) this.#parts.listener.log(`tau: ${reason}`);
    await killMarkedProcesses("TAU_RUN", this.#marker);
    if (!this.#isOver) this.#fence.renew();
  }

  #kernelIsOver(reason: string | undefined): void {
    const { facts } = this.#run?.record ?? this.#parts.record;
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
    return this.#served.introduce(peer, isResumed ? "resume" : "startup");
  }

  /** Puts the session together; where the options are wrong, no run is taken. */
  #compose(): void {
    try {
      this.#session = this.#composeSession();
    } catch (error) {
      const isUsage = error instanceof UnknownToolError ||
        error instanceof PluginFlagError;
      if (!isUsage) throw error;
      this.#refusal = error.message;
    }
    this.#composed.resolve();
  }

  #composeSession(): AgentSession {
    const options = this.#options;
    const { record: { cwd }, chosen, session, listener, told } = this.#parts;
    const { env, mode = "print", goals } = options;
    this.#checkNames();
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
      ...(this.#loads ? { server: this.#served } : {}),
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
      check: check && { ...check, run: this.#check() },
      answerSchema: goals && goalSetup(goals).answerSchema,
      limits: options.limits,
      retry: withoutUndefined({ maxRetries: options.maxRetries }),
      compaction: options.compaction,
      promptContext: told && promptContext(told, listener.log),
    });
  }

  /** Throws where the user named a tool or an option of a plugin that there is not. */
  #checkNames(): void {
    const { tools, excludeTools = [], plugins } = this.#options;
    const { plugins: found = [], flags = [] } = this.#served.declaration ?? {};
    const values = new Map(Object.entries(plugins?.flagValues ?? {}));
    // The option of a plugin that could not be loaded is not unknown.
    if (found.every(({ state }) => state === "loaded")) {
      checkFlagValues(values, new Map(flags.map((flag) => [flag.name, flag])));
    }
    const names = new Set(
      [...this.#served.tools, ...this.#builtIn].map(({ tool }) => tool.name),
    );
    for (const name of [...tools ?? [], ...excludeTools]) {
      if (names.has(name)) continue;
      // A plugin that is not there any more, or registers it later, may have it.
      if (found.length === 0) {
        throw new UnknownToolError(
          `Unknown tool "${name}"; available are ${[...names].join(", ")}`,
        );
      }
      if (excludeTools.includes(name)) continue;
      this.#events.report({
        type: "plugin_notice",
        name: "tau",
        level: "warning",
        message:
          `There is no tool "${name}", unless a plugin registers it later`,
      });
    }
  }

  async #isUnconfined(): Promise<boolean> {
    await this.#kernel.serving().catch(() => {});
    return this.#fence.reason !== undefined;
  }

  /** The kernel, once a call may be made. */
  async #peerForCalls(): Promise<KernelPeer> {
    this.#hasActed = true;
    // No call may change what nobody has looked at yet.
    await this.#events.controlFilesKnown();
    return this.#loads
      ? await this.#served.informed()
      : await this.#kernel.serving();
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

  /** The same tool, but nothing is run: its results come from the recording. */
  #replayed(served: ServedTool): ServedTool {
    if (!this.#options.replay?.tools) return served;
    return {
      ...served,
      tool: {
        ...served.tool,
        execute: (toolCallId) => this.#recordedResult(toolCallId),
      },
    };
  }

  /** A call that was not recorded ends the run. */
  #recordedResult(callId?: string): Promise<AgentToolResult> {
    const result = this.#parts.tape?.resultOf(callId) ?? "Nothing is replayed";
    if (typeof result !== "string") {
      return Promise.resolve(result as unknown as AgentToolResult);
    }
    const { facts } = this.#run?.record ?? this.#parts.record;
    facts.modelError ??= { kind: "replay_miss", message: result };
    if (this.#run) this.#abortRun(this.#run);
    return Promise.reject(new ToolError(result));
  }

  #check(): CheckRunner {
    if (!this.#options.replay?.tools) return checkRunner(this.#checkBash);
    return async () => {
      const { content, isError } = await this.#recordedResult();
      return { passed: isError !== true, output: textOf(content) };
    };
  }

  /** In a kernel of its own: no plugin answers for a check. */
  readonly #checkBash: BashRunner = async (command, call) => {
    this.#hasActed = true;
    await this.#events.controlFilesKnown();
    // Once a kernel serves, it is known that the sandbox starts.
    if (!this.#loads) await this.#kernel.serving();
    const launch = this.#fence.planAnother();
    try {
      return await runInCheckKernel(
        {
          start: (heard) => this.#startKernel(heard, launch),
          setup: this.#setup(),
          print: (line) => this.#parts.listener.log(line),
        },
        command,
        call,
      );
    } catch (error) {
      throw afterDeath(error, true);
    } finally {
      launch.end();
    }
  };

  readonly #bash: BashRunner = async (...call) => {
    try {
      return await callBash(await this.#peerForCalls(), ...call);
    } catch (error) {
      throw afterDeath(error, true);
    }
  };

  async #answer(
    content: string | UserContent[] | undefined,
    signal: AbortSignal,
  ): Promise<RunOutcome> {
    await Promise.race([this.#composed.promise, aborted(signal)]);
    if (this.#options.plugins?.inspection) {
      return { kind: this.#kernel.isOver ? "aborted" : "completed" };
    }
    if (this.#refusal !== undefined) {
      return { kind: "usage_error", message: this.#refusal };
    }
    const session = this.#session;
    if (!session) return { kind: "aborted" };
    // Plugins hear that the session begins before anybody says anything.
    if (this.#loads) {
      const serving = this.#kernel.serving().catch(() => {});
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
    await this.#served.settled(outcome.kind === "aborted");
    return outcome;
  }

  /** A prompt whose images are fit for a request. They are decoded in a kernel: an image may be made to break its decoder. */
  async #inlined(
    content: string | UserContent[],
  ): Promise<string | UserContent[]> {
    if (typeof content === "string") return content;
    if (content.every(({ type }) => type === "text")) return content;
    const peer = await this.#kernel.serving();
    return (await peer.ask("image", { content })).content;
  }

  /** Returns the user's text as plugins leave it; undefined when one has dealt with it, and may have queued something in its place. */
  async #heard(
    said: string | UserContent[],
    source: "prompt" | "steer" | "follow_up",
    signal?: AbortSignal,
  ): Promise<string | UserContent[] | undefined> {
    return this.#loads ? await this.#served.input(said, source, signal) : said;
  }

  get #isRunning(): boolean {
    return this.#runNumber !== null;
  }

  #abortRun(run: OpenRun): void {
    const reason = abortReason();
    run.abort.abort(reason);
    this.#commands.abort(reason);
    this.#kernel.current?.send({ type: "cancel_run" });
  }

  #find(name: string): ServedTool | undefined {
    const isIt = ({ tool }: ServedTool) => tool.name === name;
    return this.#served.tools.find(isIt) ?? this.#builtIn.find(isIt);
  }

  /** Lets plugins hear of the end, where a kernel that still answers has any. */
  async #sayGoodbye(): Promise<void> {
    const isIdle = !this.#run || this.#run.hasEnded;
    const peer = this.#kernel.current;
    if (this.#isOver || !this.#served.hasPlugins || !isIdle || !peer) return;
    peer.close();
    this.#kernel.expectEnd();
    await within(CLOSE_GRACE_MS, this.#kernel.over);
  }

  /** Sees everything of the run ended. */
  async #cleanUp(): Promise<void> {
    this.#stopWaiting?.();
    const answered = this.#models.close();
    try {
      await this.#kernel.over;
    } finally {
      await answered;
      this.#fence.close();
      // A sandbox that is killed while it starts may leave a process behind.
      if (this.#kernel.hasStarted) {
        await killMarkedProcesses("TAU_RUN", this.#marker);
      }
      // A run that was over sooner leaves it to be done, once and for all.
      if (this.#stopWaiting && this.#run?.hasEnded) {
        this.#warmed ??= this.#fence.launch.warm();
      }
      // Last, since it may take a while: nothing of the run is left by now.
      await this.#warmed;
    }
  }

  /** Does what has time until the first request is answered. */
  #useWait(): void {
    if (!this.#hasTools && !this.#kernel.hasStarted) return;
    this.#kernel.start();
    this.#events.watchControlFiles();
    this.#fence.try();
    this.#warmed = this.#fence.launch.warm();
  }

  /** Holds the first request back until a sandbox that is required was seen to hold. */
  #admit(): Promise<void> | undefined {
    this.#stopWaiting ??= startLightTimer(
      ON_ITS_WAY_MS,
      () => this.#useWait(),
    );
    if (!this.#fence.isRequired) return undefined;
    this.#fence.try();
    const tried = Promise.race([this.#fence.tried(), this.#kernel.over]);
    return within(MAX_PROBE_MS, tried).then(() => {
      if (this.#leak !== undefined) throw new Error(this.#leak);
    });
  }

  async #probe(targets: ProbeTargets): Promise<void> {
    try {
      const peer = this.#kernel.current;
      if (!peer) return;
      const { report } = await peer.ask("probe", { targets });
      for (const leak of this.#fence.take(report)) this.#noteLeak(leak);
    } catch {
      // It is gone; another one may be asked.
    }
  }

  #noteLeak(leak: string): void {
    this.#parts.listener.log(`tau: Not held, though it should be: ${leak}`);
    if (!this.#fence.isRequired || !this.#run) return;
    this.#leak ??= leak;
    this.#run.record.facts.sandboxFailure ??= leak;
    this.#abortRun(this.#run);
  }

  /** Folders in which commands may change files that start programs. */
  #controlFilePlaces(): ControlFilePlaces | undefined {
    if (!runsCommands(this.#options)) return undefined;
    const { record: { cwd }, outputDir } = this.#parts;
    const writable = this.#fence.launch.policy.children.writeRoots
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

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

/** The words for a call whose kernel has ended; all other errors stay as they are. */
function afterDeath(error: unknown, hasBegun: boolean): Error {
  if (!(error instanceof KernelGoneError)) return error as Error;
  const reason = firstLine(error.message);
  return new ToolError(
    hasBegun
      ? `The kernel ended while this call ran (${reason}); it may have run in part or to its end: look before you repeat it. Its background processes and the private /tmp are gone`
      : `Not run: ${reason}`,
  );
}

function promptContext(
  { context, readInstructions }: ReadContext,
  log: (line: string) => void,
): PromptContext {
  const { files, warnings } = readInstructions();
  for (const line of warnings) log(`tau: ${line}`);
  return { ...context, instructions: files };
}
