import type { PermissionPolicy } from "../policy/permission_policy.ts";
import type { ProbeTargets } from "../protocol/kernel_messages.ts";
import type { ProbeReport, SandboxReport } from "../protocol/result_schema.ts";
import { type PlacedTargets, placeTargets } from "./probe_targets.ts";

const NAMES: Record<keyof ProbeReport, string> = {
  operations: "File tools",
  deno: "Code in the kernel",
  system: "Commands",
};

/** Has a kernel try once what it must not do, while it waits for a model. */
export class RingProbe {
  readonly #policy: PermissionPolicy;
  readonly #folders: readonly string[];
  readonly #send: (targets: ProbeTargets) => void;
  readonly #isCompiled: boolean;
  readonly #settled = Promise.withResolvers<void>();
  #placed: PlacedTargets | undefined;
  #hasBegun = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #report: ProbeReport | undefined;

  constructor(
    policy: PermissionPolicy,
    { folders, isCompiled, send }: {
      /** Folders with room for what it must not touch. */
      folders: readonly string[];
      /** The kernel is one of a compiled program, which Deno keeps from no path. */
      isCompiled: boolean;
      send(targets: ProbeTargets): void;
    },
  ) {
    this.#isCompiled = isCompiled;
    this.#policy = policy;
    this.#folders = folders;
    this.#send = send;
  }

  /** Asks the kernel, the first time. */
  begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    // The kernel that is to try it may be started in this very task.
    this.#timer = setTimeout(() => {
      this.#placed = placeTargets(this.#policy, this.#folders);
      this.#send(this.#placed.targets);
    });
  }

  take(report: ProbeReport): void {
    if (!this.#placed) return;
    this.#report = this.#placed.verified(report);
    this.close();
  }

  /** Returns what the ring should have refused and did not, for people; undefined when there is nothing. */
  leak(ring: keyof ProbeReport): string | undefined {
    const outcomes = Object.entries(this.#report?.[ring] ?? {});
    const open = outcomes.filter(([probe, outcome]) =>
      outcome === "open" && this.#shouldHold(ring, probe)
    );
    if (open.length === 0) return undefined;
    const done = open.map(([probe]) => probe).join(", ");
    return `${NAMES[ring]} can ${done} what this run does not grant`;
  }

  #shouldHold(ring: keyof ProbeReport, probe: string): boolean {
    return !this.#isCompiled || ring !== "deno" || probe === "connect";
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Resolves when the kernel has answered; at once when it was not asked. */
  get settled(): Promise<void> {
    return this.#hasBegun ? this.#settled.promise : Promise.resolve();
  }

  /** Returns the outcome, as far as it is known. */
  get report(): SandboxReport["probes"] {
    return this.#report && { ...this.#report, reportedBy: "kernel" };
  }

  /** Takes the things that were to be touched away. */
  close(): void {
    clearTimeout(this.#timer);
    this.#placed?.close();
    this.#placed = undefined;
    this.#settled.resolve();
  }
}
