import type { HostMessage } from "../protocol/kernel_messages.ts";
import type { KernelProcess, KernelProcessOptions } from "./kernel_process.ts";

/** Ways to start a kernel, and to start it again. */
export interface ConfinedKernelOptions {
  /** Starts one as things are. */
  start(
    heard: Pick<KernelProcessOptions, "onSpeaks" | "onPrint">,
  ): KernelProcess;
  /** Takes a line that the kernel or a plugin printed. */
  print(line: string): void;
  /** Returns its first message, as things are. */
  opening(): HostMessage;
  /**
   * One died before it said anything. Resolves with whether another is to be
   * started, now that things are different.
   */
  recover(): Promise<boolean>;
}

/**
 * A kernel that may be started a second time, when the first one could not
 * even begin: whether a sandbox works is known by starting in it. Nothing of
 * the first one has been heard then, so that the other is told the same. What
 * is printed before a kernel speaks waits until it does: it may be the words of
 * a sandbox that does not start, which {@linkcode ConfinedKernelOptions.recover}
 * tells.
 */
export class ConfinedKernel {
  readonly #options: ConfinedKernelOptions;
  #kernel: KernelProcess;
  /** Messages to a kernel that has not said anything yet. */
  #early: ((kernel: KernelProcess) => Promise<void>)[] = [];
  /** Lines that were printed before it said anything. */
  #firstLines: string[] = [];
  /** No other will be started. */
  #isGivenUp = false;
  /** As that of the process that counts. */
  readonly done: Promise<string | undefined>;

  constructor(options: ConfinedKernelOptions) {
    this.#options = options;
    this.#kernel = this.#start();
    this.done = this.#watch().finally(() => this.#printFirstLines());
  }

  /** Tells it what it begins with. */
  open(): void {
    this.#kernel.send(this.#options.opening());
  }

  /** Rejects when the kernel is gone; whoever does not wait need not catch. */
  send(message: HostMessage): Promise<void> {
    return this.#say((kernel) => kernel.send(message));
  }

  /** For this process only: another is not told the same. */
  sendOnce(message: HostMessage): void {
    this.#kernel.send(message).catch(() => {});
  }

  /** The same as `send` for a message that is JSON already. */
  sendJson(json: string): Promise<void> {
    return this.#say((kernel) => kernel.sendJson(json));
  }

  /** Characters that wait for the kernel to read them. */
  get waiting(): number {
    return this.#kernel.waiting;
  }

  /** True when it is dead, and no other will be started. */
  get hasEnded(): boolean {
    return this.#kernel.hasEnded &&
      (this.#kernel.hasSpoken || this.#isGivenUp);
  }

  /** The kernel said that it is through: its end is no failure. */
  expectEnd(): void {
    this.#isGivenUp = true;
    this.#kernel.expectEnd();
  }

  /** Ends the process, which did what no kernel does. */
  breakOff(why: string): void {
    this.#kernel.breakOff(why);
  }

  /** Ends the process at once; its children are for the caller. */
  kill(): void {
    this.#isGivenUp = true;
    this.#kernel.kill();
  }

  #start(): KernelProcess {
    return this.#options.start({
      onSpeaks: () => this.#printFirstLines(),
      onPrint: (line) => {
        if (this.#kernel.hasSpoken) this.#options.print(line);
        else this.#firstLines.push(line);
      },
    });
  }

  #printFirstLines(): void {
    for (const line of this.#firstLines.splice(0)) this.#options.print(line);
  }

  #say(say: (kernel: KernelProcess) => Promise<void>): Promise<void> {
    const said = say(this.#kernel);
    if (this.#kernel.hasSpoken) {
      this.#early = [];
      return said;
    }
    this.#early.push(say);
    // If this one is gone, another may be told.
    return said.catch(() => {});
  }

  async #watch(): Promise<string | undefined> {
    const failure = await this.#kernel.done;
    const isOver = failure === undefined || this.#kernel.hasSpoken ||
      this.#isGivenUp || !await this.#options.recover();
    // It may have been given up while that was found out.
    if (isOver || this.#isGivenUp) {
      this.#isGivenUp = true;
      return failure;
    }
    this.#firstLines = [];
    this.#kernel = this.#start();
    this.open();
    for (const say of this.#early) say(this.#kernel).catch(() => {});
    this.#isGivenUp = true;
    return await this.#kernel.done;
  }
}
