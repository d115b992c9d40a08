import type { KernelMessage } from "../../protocol/kernel_protocol.ts";
import type { KernelProcess } from "../kernel_process.ts";
import { KernelGoneError } from "./kernel_gone_error.ts";
import { KernelPeer, type PeerLink, type PeerListener } from "./kernel_peer.ts";

/** Callbacks of one kernel process. */
export interface ProcessListener {
  /** Called once, before its first message is taken. */
  onSpeaks(): void;
  onPrint(line: string): void;
  onMessage(message: KernelMessage): void;
}

/** End of a kernel that should have gone on. */
export interface KernelDeath {
  reason: string;
  /** The plugin whose code it was in, as it said itself. */
  blamed: string | undefined;
  /** Tools whose calls were open. */
  openCalls: string[];
  /** It had not come as far as to serve. */
  isFailedStart: boolean;
}

/** Parts of a {@linkcode Kernel}. */
export interface KernelParts {
  /** Starts a process as things are. */
  startProcess(listener: ProcessListener): KernelProcess;
  listener: PeerListener;
  /** It loads something before it serves. */
  loads(): boolean;
  /** Says what it begins with. */
  greet(peer: KernelPeer): void;
  /** It has declared what it brings: gives it the session. */
  introduce(peer: KernelPeer): Promise<void> | void;
  /** Takes a line that it or a plugin printed. */
  print(line: string): void;
  /** One died before it said anything: `again` where things are different now, `over` where there can be none. */
  recover(): Promise<"again" | "over" | undefined>;
  /** Failed starts in a row after which nothing more is tried. Default 2. */
  maxFailedStarts?: number | undefined;
  /** Milliseconds that one may take until it serves, longer only while something that it asked is open. Default: ten minutes. */
  readyMs?: number | undefined;
  /** One died: its processes are to be ended before another starts. */
  onDeath(death: KernelDeath): Promise<void>;
}

/** Failed starts in a row after which nothing more is tried. */
const MAX_FAILED_STARTS = 2;
/** Plugins have a minute each to begin, one after the other. */
const READY_MS = 10 * 60_000;
/** Deaths in one run after which nothing more is tried. */
const MAX_DEATHS = 8;

/**
 * The kernel of a session: one process at a time. One that dies is replaced,
 * at once where it loads plugins, else when somebody needs it; when that does
 * not help, it is over.
 */
export class Kernel {
  readonly #parts: KernelParts;
  #process: KernelProcess | undefined;
  #peer: KernelPeer | undefined;
  #serving: Promise<KernelPeer> | undefined;
  readonly #over = Promise.withResolvers<string | undefined>();
  #hasServed = false;
  #isClosed = false;
  #isOver = false;
  #failedStarts = 0;
  #deaths = 0;
  #running: Promise<void> | undefined;
  /** Resolves when it is known what comes after the process that is there. */
  #decided = Promise.withResolvers<void>();

  constructor(parts: KernelParts) {
    this.#parts = parts;
  }

  /** Resolves when there will be no other: with the reason where it has failed, without one after `close`. */
  get over(): Promise<string | undefined> {
    return this.#over.promise;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** True once a process was started. */
  get hasStarted(): boolean {
    return this.#process !== undefined;
  }

  /** True once a process was ready for calls. */
  get hasServed(): boolean {
    return this.#hasServed;
  }

  /** The process that is there now. */
  get current(): KernelPeer | undefined {
    return this.#peer?.isGone ? undefined : this.#peer;
  }

  /** Starts a process where there is none. */
  start(): void {
    if (this.#running || this.#isClosed || this.#isOver) return;
    const serving = Promise.withResolvers<KernelPeer>();
    serving.promise.catch(() => {});
    this.#serving = serving.promise;
    const running = this.#run(serving).finally(() => {
      // Another one may have been started meanwhile.
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
  }

  /** The kernel, once it serves. Rejects with a {@linkcode KernelGoneError} when there will be none. */
  async serving(): Promise<KernelPeer> {
    while (true) {
      this.start();
      const serving = this.#serving;
      const decided = this.#decided.promise;
      if (this.#isOver || this.#isClosed || !serving) {
        throw new KernelGoneError("The kernel has ended");
      }
      try {
        const peer = await serving;
        if (!peer.isGone) return peer;
      } catch {
        // Another one may come.
      }
      await decided;
    }
  }

  /** A new run begins: deaths before it do not count. */
  forgive(): void {
    this.#deaths = 0;
    this.#failedStarts = 0;
  }

  /** It was told to end: that it does is no failure. */
  expectEnd(): void {
    this.#isClosed = true;
    this.#process?.expectEnd();
  }

  /** Ends the process; another one may follow. */
  kill(): void {
    this.#process?.kill();
  }

  /** Ends it for good. */
  close(): void {
    this.#isClosed = true;
    this.#process?.kill();
    if (!this.#running) this.#end(undefined);
  }

  #end(reason: string | undefined): void {
    this.#isOver = true;
    this.#over.resolve(reason);
    this.#decide();
  }

  #decide(): void {
    this.#decided.resolve();
    this.#decided = Promise.withResolvers();
  }

  async #run(first: PromiseWithResolvers<KernelPeer>): Promise<void> {
    let serving = first;
    while (true) {
      const { process, firstLines } = this.#startOne(serving);
      const peer = this.#peer as KernelPeer;
      let hasServed = false;
      serving.promise.then(() => this.#hasServed = hasServed = true, () => {});
      const failure = await process.done;
      const openCalls = peer.openCalls;
      peer.die(failure ?? "The kernel has ended");
      serving.reject(new KernelGoneError(failure ?? "The kernel has ended"));
      if (this.#isClosed) return this.#end(failure);
      const recovery = !process.hasSpoken && failure !== undefined
        ? await this.#parts.recover()
        : undefined;
      if (recovery === "over") return this.#end(failure);
      const isRecovered = recovery === "again";
      if (!isRecovered) {
        firstLines.forEach(this.#parts.print);
        if (!await this.#mourn({ failure, process, openCalls, hasServed })) {
          return;
        }
      }
      if (this.#isClosed) return this.#end(undefined);
      if (!isRecovered && hasServed && !this.#parts.loads()) {
        // Another one is started when somebody needs it.
        this.#running = undefined;
        return this.#decide();
      }
      serving = Promise.withResolvers();
      serving.promise.catch(() => {});
      this.#serving = serving.promise;
      this.#decide();
    }
  }

  /** True where another one may be started. */
  async #mourn(
    { failure, process, openCalls, hasServed }: {
      failure: string | undefined;
      process: KernelProcess;
      openCalls: string[];
      hasServed: boolean;
    },
  ): Promise<boolean> {
    const reason = failure ?? "The kernel was stopped";
    if (failure !== undefined) {
      this.#deaths++;
      this.#failedStarts = hasServed ? 0 : this.#failedStarts + 1;
    }
    await this.#parts.onDeath({
      reason,
      blamed: process.blamed,
      openCalls,
      isFailedStart: !hasServed,
    });
    const isTooMuch = this.#failedStarts >=
        (this.#parts.maxFailedStarts ?? MAX_FAILED_STARTS) ||
      this.#deaths >= MAX_DEATHS;
    if (isTooMuch) this.#end(reason);
    return !isTooMuch && !this.#isOver;
  }

  #startOne(
    serving: PromiseWithResolvers<KernelPeer>,
  ): { process: KernelProcess; firstLines: string[] } {
    const { startProcess, greet, introduce, loads, print } = this.#parts;
    /** Lines that were printed before it said anything: they may be the words of a sandbox that does not start. */
    const firstLines: string[] = [];
    let hasSpoken = false;
    const link: PeerLink = {
      send: (message) => process.send(message),
      get waiting() {
        return process.waiting;
      },
      breakOff: (why) => process.breakOff(why),
    };
    const peer = new KernelPeer(link, this.#parts.listener, {
      loads: loads(),
    });
    const process = startProcess({
      onSpeaks: () => {
        hasSpoken = true;
        firstLines.splice(0).forEach(print);
      },
      onPrint: (line) => {
        if (hasSpoken) print(line);
        else firstLines.push(line);
      },
      onMessage: (message) => peer.take(message),
    });
    this.#process = process;
    this.#peer = peer;
    greet(peer);
    const { readyMs = READY_MS } = this.#parts;
    const late = setInterval(() => {
      if (peer.hasRequests) return;
      process.breakOff(`it was not ready after ${readyMs / 1000} s`);
    }, readyMs);
    const serve = async () => {
      await peer.hello;
      if (loads()) {
        await peer.declared;
        await introduce(peer);
        await peer.ready;
      }
      serving.resolve(peer);
    };
    serve().catch((error) => serving.reject(error))
      .finally(() => clearInterval(late));
    return { process, firstLines };
  }
}
