// The trusted side: starts and watches the kernel, serves it with a model, and
// turns whatever happens into one terminal record. It runs no tool and no
// plugin, and draws nothing.
export { openAnswerFile } from "./answer_file.ts";
export type { AnswerFile } from "./answer_file.ts";
export type { KernelProgram } from "./kernel_process.ts";
export { listModels } from "./list_models.ts";
export type { ListedModel } from "./list_models.ts";
export { keyedProviders, proxiedModel } from "./proxied_model.ts";
export { Conversation } from "./conversation.ts";
export type {
  ConversationListener,
  ConversationOptions,
  ConversationState,
  PreparedPrompt,
  Prompt,
} from "./conversation.ts";
export type { OutputSchema } from "./run_record.ts";
export type { SessionChoice } from "./run_session.ts";
export { SandboxUnavailableError } from "./confinement.ts";
export { effectivePermissions } from "./effective_permissions.ts";
export type { EffectivePermissions } from "./effective_permissions.ts";
export { examineMachine } from "./examine_machine.ts";
export type { Finding, MachineReport } from "./examine_machine.ts";
export { inspectPlugins } from "./inspect_plugins.ts";
export type { InspectedPlugin, InspectionListener } from "./inspect_plugins.ts";
export { pluginsIn } from "./plugins_in.ts";
export type { KernelLaunch } from "./kernel_launch.ts";
export type { PermissionOptions, SandboxRequest } from "./run_permissions.ts";
export { startRun } from "./run.ts";
export type {
  PluginPlaces,
  RunListener,
  RunOptions,
  StopReason,
} from "./run.ts";
export { UsageError } from "../settings/mod.ts";
