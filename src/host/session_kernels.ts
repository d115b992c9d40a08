import { withoutUndefined } from "../model/without_undefined.ts";
import { deniedPathPatterns } from "../policy/denied_paths.ts";
import type { KernelSetup, ProbeTargets } from "../protocol/kernel_messages.ts";
import { killMarkedProcesses } from "../sandbox/marked_processes.ts";
import { runInCheckKernel } from "./check_kernel.ts";
import type { Confinement } from "./confinement.ts";
import { Kernel, type KernelDeath } from "./kernel/kernel.ts";
import { afterDeath } from "./kernel/kernel_gone_error.ts";
import type { KernelPeer } from "./kernel/kernel_peer.ts";
import {
  KernelSession,
  type KernelSessionParts,
} from "./kernel/kernel_session.ts";
import { KernelFence } from "./kernel_fence.ts";
import { planLaunch } from "./kernel_launch.ts";
import type { KernelLaunch } from "./kernel_program.ts";
import { KernelProcess, type KernelProcessOptions } from "./kernel_process.ts";
import { pluginFetch } from "./plugin_fetch.ts";
import type { PluginFolders } from "./plugin_folders.ts";
import { type LaunchFacts, planGrants, type RunGrants } from "./run_grants.ts";
import { unconfinedLine } from "./run_kind.ts";
import type { RunListener, RunOptions } from "./run_options.ts";
import type { RunRecord } from "./run_record.ts";
import { type BashRunner, callBash } from "./user_shell.ts";
import { within } from "./within.ts";

/** Parts of {@linkcode SessionKernels}. */
export interface SessionKernelsParts {
  sessionId: string;
  plugins: PluginFolders;
  confinement: Confinement;
  /** Grants of the first start. */
  grants: RunGrants;
  /** Facts about the next start. */
  facts(confinement: Confinement): LaunchFacts;
  listener: RunListener;
  /** Record of the run that goes on, or of the last one. */
  record(): RunRecord;
  /** Parts of what it serves that are not its own. */
  served:
    & Omit<KernelSessionParts, "serving" | "current" | "requests">
    & { requests: Omit<KernelSessionParts["requests"], "fetch" | "kill"> };
  /** A kernel has declared what it brings: gives it the session. */
  introduce(peer: KernelPeer): void | Promise<void>;
  /** Hears of something that a ring should have refused and did not. */
  onLeak(leak: string): void;
}

/** Kernels of a session: starts them behind their fence, has it tried, and clears away what a dead one has left. */
export class SessionKernels {
  readonly #options: RunOptions;
  readonly #parts: SessionKernelsParts;
  /** `TAU_RUN`, in the environment of each process of the run. */
  readonly #marker: string;
  #firstGrants: RunGrants | undefined;
  /** Resolves when the next start is as quick as it can be. */
  #warmed: Promise<void> | undefined;
  #isClosed = false;
  readonly fence: KernelFence;
  readonly kernel: Kernel;
  /** Plugins, and tools that the kernel brings. */
  readonly served: KernelSession;

  constructor(options: RunOptions, parts: SessionKernelsParts) {
    const { served, listener, plugins } = parts;
    this.#options = options;
    this.#parts = parts;
    this.#firstGrants = parts.grants;
    this.#marker = parts.facts(parts.confinement).marker;
    this.fence = new KernelFence({
      confinement: parts.confinement,
      plan: (confinement) => this.#plan(confinement),
      alter: options.kernel.alterLaunch,
      isCompiled: options.kernel.selfArgument !== undefined,
      send: (targets) => this.#probe(targets),
    });
    this.served = new KernelSession({
      ...served,
      serving: () => this.kernel.serving(),
      current: () => this.kernel.current,
      requests: {
        ...served.requests,
        fetch: (request) => pluginFetch(request, this.fence.launch.policy.net),
        kill: (marker) => killMarkedProcesses("TAU_CALL", marker, this.#marker),
      },
    });
    this.kernel = new Kernel({
      startProcess: (heard) => this.#start(heard),
      listener: this.served.listener,
      loads: () =>
        plugins.places !== undefined || options.kernel.bringsTools === true,
      greet: (peer) => peer.send({ type: "start", setup: this.#setup() }),
      introduce: (peer) => parts.introduce(peer),
      print: (line) => listener.log(line),
      recover: () => this.#recover(),
      onDeath: (death) => this.#mourn(death),
      maxFailedStarts: options.plugins?.inspection ? 1 : undefined,
    });
  }

  /** Has the kernel try, once, what it must not do; resolves when it has, or after a time. */
  async tried(limitMs: number): Promise<void> {
    this.fence.try();
    const tried = Promise.race([this.fence.tried(), this.kernel.over]);
    await within(limitMs, tried);
  }

  /** Makes the next start as quick as it can be. */
  warm(): void {
    this.#warmed ??= this.fence.launch.warm();
  }

  /** Runs a command in a kernel of its own: no plugin answers for it. */
  readonly runAlone: BashRunner = async (command, call) => {
    const launch = this.fence.planAnother();
    try {
      return await runInCheckKernel(
        {
          start: (heard) => this.#start(heard, launch),
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

  /** Runs a command of the user beside the session's tools. */
  async run(
    peer: KernelPeer,
    ...call: Parameters<BashRunner>
  ): ReturnType<BashRunner> {
    try {
      return await callBash(peer, ...call);
    } catch (error) {
      throw afterDeath(error, true);
    }
  }

  /** Ends every process of the session, and removes what its kernels have on the disk. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.kernel.close();
    await this.kernel.over;
    this.fence.close();
    // A sandbox that is killed while it starts may leave a process behind.
    if (this.kernel.hasStarted) {
      await killMarkedProcesses("TAU_RUN", this.#marker);
    }
    // Last, since it may take a while: nothing of the run is left by now.
    await this.#warmed;
  }

  #plan(confinement: Confinement): KernelLaunch {
    const facts = this.#parts.facts(confinement);
    const first = this.#firstGrants;
    this.#firstGrants = undefined;
    const grants = first && confinement === this.#parts.confinement
      ? first
      : planGrants(this.#options, facts);
    return planLaunch(this.#options, grants, facts);
  }

  #start(
    heard: Pick<KernelProcessOptions, "onSpeaks" | "onPrint" | "onMessage">,
    launch: KernelLaunch = this.fence.launch,
  ): KernelProcess {
    const { kernel: program, heartbeatMs } = this.#options;
    const { plugins, record } = this.#parts;
    const { flags, environment, pluginVariables, cacheVariables, confine } =
      launch;
    return new KernelProcess({
      program,
      flags,
      cwd: record().cwd,
      confine,
      environment: {
        ...environment,
        ...cacheVariables,
        ...(plugins.places ? pluginVariables : {}),
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
    const { plugins, sessionId, listener, facts } = this.#parts;
    const { env, mode = "print", bashTimeoutMs } = this.#options;
    const { launch } = this.fence;
    const { cwd, outputDir, rules } = facts(this.#parts.confinement);
    return {
      sessionId,
      cwd,
      mode,
      hasUI: listener.ask !== undefined,
      plugins: plugins.places &&
        { ...plugins.places, leftOut: this.served.leftOut },
      policy: {
        ...launch.policy.tools,
        deniedPatterns: deniedPathPatterns(rules),
      },
      bashTimeoutMs,
      environment: launch.environment,
      homeDir: env.HOME ?? env.USERPROFILE,
      outputDir,
    };
  }

  /** A kernel could not begin: where that is the sandbox's fault, goes on without one, or says that it must not. */
  async #recover(): Promise<"again" | "over" | undefined> {
    const record = this.#parts.record();
    const goesOn = await this.fence.comeDown({
      record,
      isOver: () => this.#isClosed,
    });
    if (goesOn) {
      const line = unconfinedLine(this.#options, this.fence.reason);
      if (line !== undefined) this.#parts.listener.log(line);
      return "again";
    }
    return record.facts.sandboxFailure === undefined ? undefined : "over";
  }

  async #mourn({ reason, blamed, openCalls }: KernelDeath): Promise<void> {
    this.served.forget();
    const { record, listener } = this.#parts;
    record().kernels.push(withoutUndefined({ reason, blamed, openCalls }));
    if (blamed !== undefined) {
      this.served.leaveOut(blamed, reason.split("\n", 1)[0] as string);
    }
    if (!this.#isClosed) listener.log(`tau: ${reason}`);
    await killMarkedProcesses("TAU_RUN", this.#marker);
    if (!this.#isClosed) this.fence.renew();
  }

  async #probe(targets: ProbeTargets): Promise<void> {
    try {
      const peer = this.kernel.current;
      if (!peer) return;
      const { report } = await peer.ask("probe", { targets });
      for (const leak of this.fence.take(report)) {
        this.#parts.listener.log(
          `tau: Not held, though it should be: ${leak}`,
        );
        this.#parts.onLeak(leak);
      }
    } catch {
      // It is gone; another one may be asked.
    }
  }
}
