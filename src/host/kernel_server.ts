import type { PromptContext, ReadContext } from "../context/mod.ts";
import type { DeltaSource, Model } from "../model/mod.ts";
import { childEnvironment, isInside, type PathPolicy } from "../policy/mod.ts";
import type { KernelMessage, RunEvent, RunSetup } from "../protocol/mod.ts";
import { kernelFlags, killMarkedProcesses } from "../sandbox/mod.ts";
import type { ChosenModel } from "./choose_model.ts";
import { filePath } from "./file_path.ts";
import { KernelProcess } from "./kernel_process.ts";
import { ModelService } from "./model_service.ts";
import type { RunListener, RunOptions, StopReason } from "./run.ts";
import type { RunRecord } from "./run_record.ts";
import type { RunSession } from "./run_session.ts";
import { within } from "./within.ts";

/** Tools that are active when nobody chose any. */
const DEFAULT_TOOLS = ["read", "bash", "edit", "write"];
/** What a stopped kernel gets to answer open calls and say goodbye. */
const STOP_GRACE_MS = 1000;
/** Characters of a session that may wait for the kernel to read them. */
const MAX_HISTORY_WAITING = 1024 * 1024;

/** What a run needs beside its options. */
export interface KernelServerParts {
  listener: RunListener;
  record: RunRecord;
  chosen: ChosenModel;
  /** Called once, while the kernel starts. */
  source(): Promise<DeltaSource>;
  /** A private folder for the full output of long commands. */
  outputDir: string;
  /** Where the messages are stored, if they are. */
  session?: RunSession | undefined;
  /** What the model is told beside the prompt of the options, which it holds. */
  told?: ReadContext | undefined;
}

/**
 * Runs one kernel: starts it, gives it what it asks for, ends it when it must
 * end, and sees every process of the run dead.
 */
export class KernelServer {
  readonly #options: RunOptions;
  readonly #parts: KernelServerParts;
  readonly #policy: PathPolicy;
  /** Marks each process of the run, in its environment. */
  readonly #marker = crypto.randomUUID();
  readonly #environment: Record<string, string>;
  readonly #kernel: KernelProcess;
  readonly #models: ModelService;
  /** Resolves when the kernel has said how the run came out. */
  readonly #outcome = Promise.withResolvers<void>();
  /** Resolves when the run must end before its time. */
  readonly #stop = Promise.withResolvers<void>();
  #isOver = false;

  constructor(options: RunOptions, parts: KernelServerParts) {
    const { listener, record: { cwd }, chosen, outputDir } = parts;
    this.#options = options;
    this.#parts = parts;
    const skillFolders = (parts.told?.skillFolders ?? [])
      .filter((folder) => !isInside(cwd, folder));
    this.#policy = {
      readRoots: [cwd, outputDir, ...skillFolders],
      writeRoots: [cwd, outputDir],
    };
    this.#environment = {
      ...childEnvironment(options.env),
      TAU_RUN: this.#marker,
    };
    this.#kernel = new KernelProcess({
      program: options.kernel,
      flags: kernelFlags({
        policy: this.#policy,
        cwd,
        programDir: filePath(new URL("..", options.kernel.entry)),
        environment: Object.keys(this.#environment),
        heapMb: options.kernelHeapMb,
      }),
      cwd,
      environment: this.#environment,
      token: crypto.randomUUID(),
      heartbeatMs: options.heartbeatMs,
      onMessage: (message) => this.#take(message),
      onPrint: (line) => listener.log(line),
    });
    this.#models = new ModelService({
      source: parts.source(),
      model: chosen.model,
      apiKey: chosen.apiKey,
      send: (requestId, deltas) =>
        this.#kernel.send({ type: "model_deltas", requestId, deltas }),
    });
    parts.session?.messages.forEach((message, number) =>
      this.#models.store(number, message)
    );
  }

  /** Resolves when the run is over and the record knows how it came out. */
  async run(): Promise<void> {
    const { listener: { stop }, record } = this.#parts;
    const { timeoutMs } = this.#options;
    record.sandbox = {
      children: "unconfined",
      kernel: {
        read: this.#policy.readRoots,
        write: this.#policy.writeRoots,
        net: false,
      },
    };
    const onStop = () => this.#stopFor(stop.reason as StopReason);
    stop.addEventListener("abort", onStop, { once: true });
    const deadline = timeoutMs === undefined
      ? undefined
      : setTimeout(() => this.#stopFor("timeout"), timeoutMs);
    try {
      this.#kernel.send({ type: "start", setup: this.#setup() });
      this.#sendHistory().catch(() => {});
      if (stop.aborted) onStop();
      const over = Promise.race([this.#outcome.promise, this.#kernel.done]);
      await Promise.race([over, this.#stop.promise]);
      await within(STOP_GRACE_MS, over);
    } finally {
      clearTimeout(deadline);
      stop.removeEventListener("abort", onStop);
      this.#isOver = true;
      this.#stop.resolve();
      this.#kernel.kill();
      await this.#cleanUp();
    }
  }

  /** Sees everything of the run ended, also when the listener has thrown. */
  async #cleanUp(): Promise<void> {
    const { record } = this.#parts;
    const answered = this.#models.close();
    try {
      record.facts.kernelFailure = await this.#kernel.done;
    } finally {
      await answered;
      record.usage = this.#models.usage;
      await killMarkedProcesses("TAU_RUN", this.#marker);
    }
  }

  #stopFor(reason: StopReason | "timeout"): void {
    const { facts } = this.#parts.record;
    if (reason === "timeout") facts.timedOut = true;
    else if (reason === "stdout_closed") facts.stdoutClosed = true;
    else facts.stoppedBy ??= reason;
    this.#kernel.send({ type: "abort" });
    this.#stop.resolve();
  }

  #take(message: KernelMessage): void | Promise<void> {
    // What a dead kernel still had to tell counts, what it asked for does not.
    if (this.#isOver && message.type !== "event") return;
    switch (message.type) {
      case "event":
        return this.#takeEvent(message.event, message.stored);
      case "model_request":
        this.#models.answer(message.request);
        break;
      case "model_cancel":
        this.#models.cancel(message.requestId);
        break;
      case "ask":
        // Awaited, so that there is one search through all processes at a time.
        return this.#killCall(message.askId, message.marker);
      case "end":
        this.#parts.record.noteOutcome(message.outcome);
        this.#kernel.expectEnd();
        this.#outcome.resolve();
    }
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
    this.#store(event);
    this.#parts.record.note(event);
    const heard = this.#parts.listener.emit(event);
    // Whoever stopped the run does not wait for a slow listener.
    return heard && Promise.race([heard, this.#stop.promise]);
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
    for (const entry of this.#parts.session?.entries ?? []) {
      const sent = this.#kernel.send({ type: "history", entry });
      if (this.#kernel.waiting > MAX_HISTORY_WAITING) await sent;
    }
  }

  async #killCall(askId: number, marker: string): Promise<void> {
    try {
      await killMarkedProcesses("TAU_CALL", marker);
      this.#kernel.send({ type: "reply", askId });
    } catch (error) {
      this.#kernel.send({ type: "reply", askId, error: String(error) });
    }
  }

  #setup(): RunSetup {
    const { prompt, tools, render, updates, env } = this.#options;
    const { maxTurns, maxToolCalls, maxRepeats, maxBudgetUsd, onLimit } =
      this.#options;
    const { check, outputSchema } = this.#options;
    const { record, chosen, outputDir, session, told } = this.#parts;
    return {
      sessionId: record.sessionId,
      isStored: session !== undefined,
      historyLength: session?.entries.length ?? 0,
      cwd: record.cwd,
      prompt: told?.prompt ?? prompt,
      promptContext: told && this.#promptContext(told),
      model: withoutAccess(chosen.model),
      thinkingLevel: chosen.thinkingLevel,
      tools: tools ?? DEFAULT_TOOLS,
      bashTimeoutMs: this.#options.bashTimeoutMs,
      maxTurns,
      maxToolCalls,
      maxRepeats,
      maxBudgetUsd,
      onLimit,
      maxRetries: this.#options.maxRetries,
      check,
      outputSchema,
      policy: this.#policy,
      environment: this.#environment,
      homeDir: env.HOME ?? env.USERPROFILE,
      outputDir,
      render,
      updates,
    };
  }

  #promptContext({ context, readInstructions }: ReadContext): PromptContext {
    const { files, warnings } = readInstructions();
    for (const line of warnings) this.#parts.listener.log(`tau: ${line}`);
    return { ...context, instructions: files };
  }
}

/** Headers and a base URL may hold credentials, and only the host needs them. */
function withoutAccess({ headers: _, ...model }: Model): Model {
  return { ...model, baseUrl: "" };
}
