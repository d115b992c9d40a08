import type { Profile } from "../policy/permission_policy.ts";

/** What came of trying something that a run must not do. */
export type ProbeOutcome =
  /** It was refused. */
  | "held"
  /** It was done. */
  | "open"
  /** There was no way to try, or nothing that forbids it. */
  | "not tried";

/** One ring's probes; a ring that has no say in something does not try it. */
export interface RingProbes {
  read: ProbeOutcome;
  write: ProbeOutcome;
  connect: ProbeOutcome;
}

/** What a kernel tries to do at the start. What is absent is allowed, or cannot be tried. */
export interface ProbeTargets {
  /** To read. */
  file?: string;
  /** To make. */
  target?: string;
  /** To connect to, on the loopback address. */
  port?: number;
}

/** What the kernel was refused when it tried. */
export interface ProbeReport {
  /** The file tools. */
  operations: RingProbes;
  /** The kernel's Deno permissions. */
  deno: RingProbes;
  /** The system around the commands that tools start. */
  system: RingProbes;
}

/** What confined the run, so that nobody has to guess. */
export interface SandboxReport {
  requested: "auto" | "require" | "off";
  /** Whether the system confined the commands that tools start. */
  state: "confined" | "unconfined";
  /** Why it did not. */
  reason?: string;
  /** What was tried at the start; absent when the run was over before. */
  probes?: ProbeReport & { reportedBy: "kernel" };
}

/** What a run was given. */
export interface GrantedCapabilities {
  profile: Profile;
  /** Files and folders that the file tools and the code of the kernel read. */
  read: string[];
  write: string[];
  /** Folders that commands write, where they are confined. */
  commandsWrite: string[];
  /** What may be reached: nothing, all, or these hosts, by plugins through the host. */
  net: "none" | "all" | string[];
  /** Names of the variables that commands see. */
  environment: string[];
}

/** Of a run that did not get as far as to be given anything. */
export const NOTHING_GRANTED: Readonly<GrantedCapabilities> = {
  profile: "workspace",
  read: [],
  write: [],
  commandsWrite: [],
  net: "none",
  environment: [],
};
