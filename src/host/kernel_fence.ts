import type { ProbeReport } from "../protocol/result_schema.ts";
import {
  type Confinement,
  SandboxUnavailableError,
  whyNoSandbox,
} from "./confinement.ts";
import type { KernelLaunch } from "./kernel_program.ts";
import { RingProbe } from "./ring_probe.ts";
import type { RunRecord } from "./run_record.ts";

/** Parts of a fence. */
export interface KernelFenceParts {
  confinement: Confinement;
  /** Computes how the kernel is started. */
  plan(confinement: Confinement): KernelLaunch;
  /** Starts it in another way; what is tried stays what was planned. */
  alter?: ((launch: KernelLaunch) => KernelLaunch) | undefined;
  isCompiled: boolean;
  /** Tells the kernel that is there now, and no later one. */
  send: ConstructorParameters<typeof RingProbe>[1]["send"];
}

/** Fence of a kernel: how it is started, and what came of trying to get out. */
export class KernelFence {
  readonly #parts: KernelFenceParts;
  #confinement: Confinement;
  #launch!: KernelLaunch;
  #probe!: RingProbe;

  constructor(parts: KernelFenceParts) {
    this.#parts = parts;
    this.#confinement = parts.confinement;
    this.#plan();
  }

  get launch(): KernelLaunch {
    return this.#launch;
  }

  /** Reason why the system confines nothing; undefined where it does. */
  get reason(): string | undefined {
    return this.#confinement.reason;
  }

  /** True where a run without a sandbox is to end. */
  get isRequired(): boolean {
    return this.#confinement.requested === "require";
  }

  #plan(): void {
    const { plan, alter, isCompiled, send } = this.#parts;
    const planned = plan(this.#confinement);
    this.#launch = alter?.(planned) ?? planned;
    this.#probe = new RingProbe(planned.policy, {
      folders: planned.hiddenFolders,
      isCompiled,
      send,
    });
  }

  /** Plans the start of one more kernel beside this one. */
  planAnother(): KernelLaunch {
    const { plan, alter } = this.#parts;
    const planned = plan(this.#confinement);
    return alter?.(planned) ?? planned;
  }

  /** Plans another start, after the one before has used up its files. */
  renew(): void {
    this.#launch.end();
    this.#launch = this.planAnother();
  }

  /** Begins to try it, once. */
  try(): void {
    this.#probe.begin();
  }

  /** Resolves when it was tried. */
  async tried(): Promise<void> {
    let probe: RingProbe;
    do {
      probe = this.#probe;
      await probe.settled;
      // It may have been another kernel's.
    } while (probe !== this.#probe);
  }

  /** Takes what the kernel says of its tries; returns what is not held and should be. */
  take(report: ProbeReport): string[] {
    this.#probe.take(report);
    return (["operations", "deno", "system"] as const).flatMap((ring) => {
      const leak = this.#probe.leak(ring);
      const isKnown = ring === "system" && this.reason !== undefined;
      return leak === undefined || isKnown ? [] : [leak];
    });
  }

  /**
   * After a kernel could not begin: true where that was the sandbox's fault and
   * the next one goes without. Where it must not, the record says so.
   */
  async comeDown(
    { record, isOver }: { record: RunRecord; isOver(): boolean },
  ): Promise<boolean> {
    const { requested, bubblewrap } = this.#confinement;
    if (bubblewrap === undefined || isOver()) return false;
    const reason = await whyNoSandbox(bubblewrap);
    if (reason === undefined || isOver()) return false;
    if (requested === "require") {
      record.facts.sandboxFailure = new SandboxUnavailableError(reason).message;
      this.#confinement = { requested, reason };
      this.report(record);
      return false;
    }
    const before = this.#probe;
    this.#launch.end();
    this.#confinement = { requested, reason };
    this.#plan();
    if (before.hasBegun) this.#probe.begin();
    before.close();
    this.report(record);
    return true;
  }

  /** Writes what is known of it into a record. */
  report(record: RunRecord): void {
    const { requested, reason } = this.#confinement;
    record.granted = this.#launch.granted;
    record.sandbox = {
      requested,
      state: reason === undefined ? "confined" : "unconfined",
      ...(reason === undefined ? {} : { reason }),
      ...(this.#probe.report ? { probes: this.#probe.report } : {}),
    };
  }

  /** Removes what it has on the disk. */
  close(): void {
    this.#probe.close();
    this.#launch.end();
  }
}
