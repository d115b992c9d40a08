// What confines and ends the processes of a run: how a policy becomes flags of
// the kernel and a sandbox around it, and how a call's processes are found and
// killed. It knows no tool, no session and no model.
export { bubblewrapCommand } from "./bubblewrap.ts";
export type { BubblewrapOptions } from "./bubblewrap.ts";
export { findBubblewrap } from "./find_bubblewrap.ts";
export { keepInheritedDescriptors } from "./inherited_descriptors.ts";
export { kernelFlags, NEW_SPACE, WHOLE_CODE } from "./kernel_flags.ts";
export type { KernelFlagOptions } from "./kernel_flags.ts";
export { killMarkedProcesses } from "./marked_processes.ts";
export { planMounts } from "./mount_plan.ts";
export type { Mount, MountKind, MountPlanOptions } from "./mount_plan.ts";
export { probeSandbox } from "./sandbox_probe.ts";
export { seccompFilter } from "./seccomp_filter.ts";
