import type { ReadContext } from "../context/read_context.ts";
import type { JsonObject, UserContent } from "../model/content.ts";
import type { DeltaSource } from "../model/stream.ts";
import type { PermissionPolicy } from "../policy/permission_policy.ts";
import { PATH_TOOLS } from "../policy/built_in_tools.ts";
import type { PermissionRule } from "../policy/permission_rule.ts";
import type {
  HostMessage,
  KernelCommand,
  RunSetup,
} from "../protocol/kernel_messages.ts";
import type {
  KernelMessage,
  ModelRequest,
} from "../protocol/kernel_schemas.ts";
import type { ControlFileEvent, RunEvent } from "../protocol/event_schemas.ts";
import type { ProbeReport } from "../protocol/result_schema.ts";
import { killMarkedProcesses } from "../sandbox/marked_processes.ts";
import { UsageError } from "../settings/usage_error.ts";
import type { ChosenModel } from "./choose_model.ts";
import { ConfinedKernel } from "./confined_kernel.ts";
import type { Confinement } from "./confinement.ts";
import type { ControlFilePlaces } from "./control_file_scan.ts";
import { ControlFiles } from "./control_files.ts";
import { gitFolders } from "./git_folders.ts";
import { KernelAsks } from "./kernel_asks.ts";
import { KernelCommands } from "./kernel_commands.ts";
import { KernelDialogs } from "./kernel_dialogs.ts";
import { KernelFence } from "./kernel_fence.ts";
import { type KernelLaunch, planLaunch } from "./kernel_launch.ts";
import { KernelProcess, type KernelProcessOptions } from "./kernel_process.ts";
import { kernelSetup, runsCommands, withoutAccess } from "./kernel_setup.ts";
import { ModelService } from "./model_service.ts";
import { OpenRun } from "./open_run.ts";
import { placeRules } from "./place_rules.ts";
import { type PluginFolders, pluginFolders } from "./plugin_folders.ts";
import { pluginLines } from "./plugin_lines.ts";
import { ProviderHooks } from "./provider_hooks.ts";
import type { RunListener, RunOptions, StopReason } from "./run.ts";
import type { RunRecord } from "./run_record.ts";
import type { RunSession } from "./run_session.ts";
import type { RunTape } from "./run_tape.ts";
import { within } from "./within.ts";

/** After so long a request has left this machine. */
const ON_ITS_WAY_MS = 10;
/** Time for a stopped kernel to answer open calls and to end. */
const STOP_GRACE_MS = 1000;
/** Time that a run which was over at once waits for the kernel's probes. */
const PROBE_GRACE_MS = 500;
/** Time that a run which needs a sandbox waits for the kernel's probes. */
const MAX_PROBE_MS = 10_000;
/** Time for plugins to end what they have begun. */
const CLOSE_GRACE_MS = 2000;
/** Characters of a session that may wait for the kernel to read them. */
const MAX_HISTORY_WAITING = 1024 * 1024;

/** Parts of a run beside its options. */
export interface KernelServerParts {
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

/**
 * Runs one kernel: starts it, gives it what it asks for, ends it when it must
 * end, and sees every process of the run dead.
 */
export class KernelServer {
  readonly #options: RunOptions;
  readonly #parts: KernelServerParts;
  readonly #fence: KernelFence;
  readonly #rules: PermissionRule[];
  /** Marks each process of the run, in its environment. */
  readonly #marker = crypto.randomUUID();
  readonly #plugins: PluginFolders;
  /** A plugin wants to hear of the end. */
  #hasPlugins = false;
  readonly #providerHooks = new ProviderHooks((message) =>
    this.#kernel.send(message)
  );
  readonly #kernel: ConfinedKernel;
  readonly #models: ModelService;
  /** Resolves when the next start is as quick as it can be. */
  #warmed: Promise<void> | undefined;
  /** For what is done while the first request is under way. */
  #afterRequest: ReturnType<typeof setTimeout> | undefined;
  /** Absent where nothing but the file tools can write. */
  #controlFiles: ControlFiles | undefined;
  /** The run that goes on, or the last one. */
  #run: OpenRun | undefined;
  readonly #commands: KernelCommands;
  readonly #dialogs: KernelDialogs;
  readonly #asks: KernelAsks;
  /** Reason why the sandbox that a run needs does not hold. */
  #leak: string | undefined;
  /** Reason why it takes no run with these options. */
  #refusal: string | undefined;
  #isOver = false;
  #closed: Promise<void> | undefined;

  constructor(options: RunOptions, parts: KernelServerParts) {
    const { record: { cwd }, chosen } = parts;
    this.#options = options;
    this.#parts = parts;
    this.#rules = placeRules(options.rules ?? [], {
      cwd,
      homeDir: options.env.HOME ?? options.env.USERPROFILE,
    });
    this.#plugins = pluginFolders(options.plugins, {
      cwd,
      home: options.env.HOME ?? options.env.USERPROFILE,
    });
    this.#fence = new KernelFence({
      confinement: parts.confinement,
      plan: (confinement) => this.#planLaunch(confinement),
      alter: options.kernel.alterLaunch,
      isCompiled: options.kernel.selfArgument !== undefined,
      send: (message) => this.#kernel.sendOnce(message),
    });
    this.#kernel = new ConfinedKernel({
      start: (heard) => this.#startKernel(heard),
      print: (line) => parts.listener.log(line),
      opening: () => ({ type: "start", setup: this.#setup() }),
      recover: () => this.#recover(),
    });
    const send = (message: HostMessage) => {
      if (!this.#isOver) this.#kernel.send(message);
    };
    this.#commands = new KernelCommands(this.#kernel);
    this.#dialogs = new KernelDialogs(parts.listener, send);
    this.#asks = new KernelAsks({
      send,
      net: () => this.#fence.launch.policy.net,
      tape: parts.tape,
      onMiss: (message) => {
        const { facts } = this.#run?.record ?? parts.record;
        facts.modelError ??= { kind: "replay_miss", message };
        send({ type: "abort" });
      },
    });
    this.#models = new ModelService({
      source: parts.source(),
      model: chosen.model,
      apiKey: chosen.apiKey,
      hooks: this.#providerHooks,
      send: async (requestId, deltas) => {
        // No answer may have a tool change what nobody has looked at yet.
        this.#watchControlFiles();
        await this.#controlFiles?.ready;
        await this.#kernel.send({ type: "model_deltas", requestId, deltas });
      },
    });
    parts.session?.messages.forEach((message, number) =>
      this.#models.store(number, message)
    );
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
    heard: Pick<KernelProcessOptions, "onSpeaks" | "onPrint">,
  ): KernelProcess {
    const { kernel: program, heartbeatMs } = this.#options;
    const { record: { cwd } } = this.#parts;
    const { flags, environment, pluginVariables, cacheVariables, confine } =
      this.#fence.launch;
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
      onMessage: (message) => this.#take(message),
      ...heard,
    });
  }

  /** A kernel could not begin: where that is the sandbox's fault, goes on without one, or says that it must not. */
  async #recover(): Promise<boolean> {
    const goesOn = await this.#fence.comeDown({
      record: this.#run?.record ?? this.#parts.record,
      isOver: () => this.#isOver,
    });
    if (goesOn) this.#sayUnconfined();
    return goesOn;
  }

  #sayUnconfined(): void {
    const { reason } = this.#fence;
    if (reason === undefined || !runsCommands(this.#options)) return;
    this.#parts.listener.log(`tau: Commands are not confined: ${reason}`);
  }

  /** Gives the kernel what it begins with. */
  start(): void {
    this.#fence.report(this.#parts.record);
    const { listener } = this.#parts;
    this.#sayUnconfined();
    for (const line of this.#plugins.warnings) listener.log(`tau: ${line}`);
    this.#kernel.open();
    // A plugin may start programs before anybody asks a model.
    if (this.#plugins.places) this.#watchControlFiles();
    this.#sendHistory().catch(() => {});
  }

  /**
   * Runs one prompt, or goes on with what is queued; one at a time. Resolves
   * when the run is over and its record knows how it came out. A kernel that
   * died, or does not stop when it should, is gone from then on.
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
      this.#fence.report(record);
      return;
    }
    const run = new OpenRun(record);
    this.#run = run;
    this.#models.usage = record.usage;
    this.#fence.report(record);
    const stopFor = (reason: StopReason | "timeout") => {
      run.stopFor(reason);
      this.#kernel.send({ type: "abort" });
    };
    const onStop = () => stopFor(stop.reason as StopReason);
    stop.addEventListener("abort", onStop, { once: true });
    const deadline = timeoutMs === undefined
      ? undefined
      : setTimeout(() => stopFor("timeout"), timeoutMs);
    try {
      this.#kernel.send({ type: "prompt", ...(content ? { content } : {}) });
      if (stop.aborted) onStop();
      const over = Promise.race([run.ended, this.#kernel.done]);
      await Promise.race([over, run.stopped]);
      await within(STOP_GRACE_MS, over);
      if (!run.hasEnded) await this.close();
      // It may have been over before there was time.
      else if (this.#afterRequest !== undefined) this.#fence.try();
      const probed = Promise.race([this.#fence.tried(), this.#kernel.done]);
      await within(PROBE_GRACE_MS, probed);
    } finally {
      this.#fence.report(record);
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
    this.#fence.try();
    const ended = this.#kernel.done.then((failure) => {
      throw new Error(failure ?? "The kernel has ended");
    });
    ended.catch(() => {});
    const tried = Promise.race([this.#fence.tried(), ended])
      // Which rules and tools there are is known to it alone, once it serves.
      .then(() => this.#commands.run({ name: "clear_queue" }));
    await within(limitMs, tried);
    if (this.#refusal !== undefined) throw new UsageError(this.#refusal);
    this.#fence.report(this.#parts.record);
  }

  /** True when it can run nothing any more. */
  get isOver(): boolean {
    return this.#isOver || this.#kernel.hasEnded;
  }

  /** Has the kernel do something beside its runs. Rejects with what it said, or when it is gone. */
  async command(
    command: KernelCommand,
    signal?: AbortSignal,
  ): Promise<JsonObject | undefined> {
    this.#watchControlFiles();
    await this.#controlFiles?.ready;
    return await this.#commands.run(command, signal);
  }

  /** Has another model answer from the next request on. */
  async useModel(
    { model, apiKey, thinkingLevel }: ChosenModel,
    source: Promise<DeltaSource>,
  ): Promise<void> {
    this.#models.use({ model, apiKey, source });
    await this.command({
      name: "use_model",
      model: withoutAccess(model),
      thinkingLevel,
    });
  }

  /** Ends the kernel and all of its processes. Rejects with what the listener has thrown. */
  async close(): Promise<void> {
    await this.#sayGoodbye();
    this.#isOver = true;
    this.#run?.stopListening();
    this.#kernel.kill();
    this.#closed ??= this.#cleanUp();
    await this.#closed;
  }

  /** Lets plugins hear of the end, where a kernel that still answers has any. */
  async #sayGoodbye(): Promise<void> {
    const isIdle = !this.#run || this.#run.hasEnded;
    if (this.#isOver || !this.#hasPlugins || !isIdle) return;
    this.#kernel.send({ type: "close" });
    this.#kernel.expectEnd();
    await within(CLOSE_GRACE_MS, this.#kernel.done);
  }

  /** Sees everything of the run ended, also when the listener has thrown. */
  async #cleanUp(): Promise<void> {
    clearTimeout(this.#afterRequest);
    const answered = this.#models.close();
    try {
      const failure = await this.#kernel.done;
      const { facts } = this.#run?.record ?? this.#parts.record;
      // A kernel that could not begin is not what is to be blamed.
      const isBlamed = this.#run && !this.#run.hasEnded &&
        facts.sandboxFailure === undefined;
      if (isBlamed) facts.kernelFailure = failure;
    } finally {
      await answered;
      this.#fence.close();
      this.#dialogs.dismissAll();
      await killMarkedProcesses("TAU_RUN", this.#marker);
      // A run that was over sooner leaves it to be done, once and for all.
      if (this.#afterRequest !== undefined && this.#run?.hasEnded) {
        this.#warmed ??= this.#fence.launch.warm();
      }
      // Last, since it may take a while: nothing of the run is left by now.
      await this.#warmed;
    }
  }

  #take(message: KernelMessage): void | Promise<void> {
    // What a dead kernel still had to tell counts, what it asked for does not.
    if (this.#isOver && message.type !== "event") return;
    switch (message.type) {
      case "event":
        return this.#takeEvent(message.event, message.stored);
      case "model_request":
        this.#answer(message.request);
        this.#afterRequest ??= setTimeout(
          () => this.#useWait(),
          ON_ITS_WAY_MS,
        );
        break;
      case "probed":
        this.#takeProbes(message.report);
        break;
      case "model_cancel":
        this.#models.cancel(message.requestId);
        break;
      case "ask":
        return this.#asks.take(message);
      case "provider_hook_end":
        this.#providerHooks.take(message.hookId, message.value);
        break;
      case "dialog":
        this.#dialogs.put(message.dialogId, message.dialog);
        break;
      case "dialog_cancel":
        this.#dialogs.dismiss(message.dialogId);
        break;
      case "command_end":
        this.#commands.end(message);
        break;
      case "refused":
        this.#run?.record.denials.noteRefused(message.access, message.count);
        break;
      case "end":
        this.#run?.end(message.outcome);
        if (message.outcome.kind === "usage_error") {
          this.#refusal = message.outcome.message;
        }
    }
  }

  /** Does what has time until the first request is answered. */
  #useWait(): void {
    this.#watchControlFiles();
    this.#fence.try();
    this.#fence.noteStart();
    this.#warmed = this.#fence.launch.warm();
  }

  /** Where a sandbox is required, nothing that a model says is run before it was seen to hold. */
  #answer(request: ModelRequest): void {
    if (!this.#fence.isRequired) return this.#models.answer(request);
    this.#fence.try();
    const tried = Promise.race([this.#fence.tried(), this.#kernel.done]);
    within(MAX_PROBE_MS, tried).then(() => {
      if (!this.#isOver && this.#leak === undefined) {
        this.#models.answer(request);
      }
    });
  }

  #takeEvent(
    event: RunEvent,
    stored: number | undefined,
  ): void | Promise<void> {
    if (event.type === "message_end") {
      if (!this.#models.store(stored ?? -1, event.message)) {
        return this.#kernel.breakOff("it stored a message out of order");
      }
    }
    if (event.type === "plugin_loaded") this.#hasPlugins = true;
    // Who inspects plugins tells of them in another way.
    if (!this.#options.plugins?.inspection) {
      pluginLines(event).forEach((line) => this.#parts.listener.log(line));
    }
    this.#store(event);
    this.#parts.tape?.note(event);
    this.#run?.record.note(event);
    const heard = this.#parts.listener.emit(event);
    const isOfChild = event.type === "tool_execution_end" &&
      !PATH_TOOLS.includes(event.toolName);
    const looked = isOfChild
      ? this.#tellControlFiles((files) => files.lookAtTop())
      : undefined;
    if (!heard && !looked) return;
    // Whoever stopped the run does not wait for a slow listener.
    return Promise.race([Promise.all([heard, looked]), this.#run?.stopped])
      .then(() => {});
  }

  /** Tells of the control files that the run has changed. Once its processes are dead, or stay. */
  async checkControlFiles(record: RunRecord): Promise<void> {
    await this.#tellControlFiles((files) => files.lookAtAll());
    record.controlFiles = this.#controlFiles?.takeReport();
  }

  /** Looks, once, at how the files are that programs start: before anything but the file tools can change them. */
  #watchControlFiles(): void {
    if (this.#controlFiles || !runsCommands(this.#options)) return;
    this.#controlFiles = new ControlFiles(this.#controlFilePlaces());
  }

  async #tellControlFiles(
    look: (files: ControlFiles) => Promise<ControlFileEvent[]>,
  ): Promise<void> {
    if (!this.#controlFiles) return;
    for (const event of await look(this.#controlFiles)) {
      await this.#parts.listener.emit(event);
    }
  }

  /** Folders in which commands may change files that start programs. */
  #controlFilePlaces(): ControlFilePlaces {
    const { record: { cwd }, outputDir } = this.#parts;
    const writable = this.#fence.launch.policy.children.writeRoots
      .filter((root) => root !== "/" && root !== outputDir);
    return { roots: [cwd, ...writable], gitFolders: gitFolders(cwd).folders };
  }

  #takeProbes(report: ProbeReport): void {
    for (const leak of this.#fence.take(report)) {
      const { log } = this.#parts.listener;
      log(`tau: Not held, though it should be: ${leak}`);
      if (!this.#fence.isRequired || !this.#run) continue;
      this.#leak ??= leak;
      this.#run.record.facts.sandboxFailure ??= leak;
      this.#kernel.send({ type: "abort" });
    }
  }

  /** On the disk before anybody hears of it, and before a tool runs. */
  #store(event: RunEvent): void {
    const { session } = this.#parts;
    session?.note(event);
    if (!session || event.type !== "tool_execution_start") return;
    const { file, stored } = session.report();
    this.#kernel.send({
      type: "stored",
      ...(file !== undefined && stored ? { file } : {}),
    });
  }

  /** Rejects when the kernel is gone, which is noticed elsewhere. */
  async #sendHistory(): Promise<void> {
    for (const json of this.#parts.session?.history ?? []) {
      const sent = this.#kernel.sendJson(json);
      if (this.#kernel.waiting > MAX_HISTORY_WAITING) await sent;
    }
  }

  #setup(): RunSetup {
    return kernelSetup(this.#options, this.#parts, {
      launch: this.#fence.launch,
      rules: this.#rules,
      plugins: this.#plugins,
      isConfined: this.#fence.reason === undefined,
    });
  }
}
