// The trusted side: starts and watches the kernel, serves it with a model, and
// turns whatever happens into one terminal record. It runs no tool and no
// plugin, and draws nothing.
export { openAnswerFile } from "./answer_file.ts";
export type { AnswerFile } from "./answer_file.ts";
export type { KernelProgram } from "./kernel_process.ts";
export { keyedProviders, proxiedModel } from "./proxied_model.ts";
export type { SessionChoice } from "./run_session.ts";
export { startRun } from "./run.ts";
export type { RunListener, RunOptions, StopReason } from "./run.ts";
export { UsageError } from "../settings/mod.ts";
