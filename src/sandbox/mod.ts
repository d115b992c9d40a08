// What confines and ends the processes of a run: how a policy becomes flags of
// the kernel, and how a call's processes are found and killed. It knows no
// tool, no session and no model.
export { kernelFlags } from "./kernel_flags.ts";
export type { KernelFlagOptions } from "./kernel_flags.ts";
export { killMarkedProcesses } from "./marked_processes.ts";
