import type { ToolDeniedEvent } from "./run_event.ts";
import type { GrantedCapabilities } from "./sandbox_report.ts";

/** What a path was refused for. */
export type RefusedAccess = keyof RefusedCounts;

/** How often the file tools were refused a path. */
export interface RefusedCounts {
  read: number;
  write: number;
  /** To write what starts programs or changes permissions. */
  protected: number;
}

/** Calls that a rule kept from being made. */
export interface DeniedCalls
  extends Pick<ToolDeniedEvent, "toolName" | "reason" | "rule" | "source"> {
  count: number;
}

/** What a run was given, and what it was kept from. */
export interface CapabilityReport {
  granted: GrantedCapabilities;
  /** By rules, each with how often; the first hundred of them. */
  denied: DeniedCalls[];
  /** By the roots and the protected names. */
  attempted: RefusedCounts;
  /** Who has counted what was denied and attempted. */
  reportedBy: "kernel";
}
