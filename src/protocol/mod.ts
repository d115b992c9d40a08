// What host and kernel say to each other, and what a run says to the world:
// messages, events, the result record, and the lines that carry them. It knows
// no process, no file and no terminal.
export type { Dialog, DialogAnswer } from "./dialog.ts";
export type {
  CustomEntryEvent,
  PluginErrorEvent,
  PluginLoadedEvent,
  PluginNoticeEvent,
  PluginRunEvent,
} from "./plugin_events.ts";
export type {
  FetchRequest,
  HostMessage,
  KernelCommand,
  KernelMessage,
  MessageRef,
  ModelRequest,
  PluginInspection,
  PluginSetup,
  ProviderHook,
  RunSetup,
  SessionMode,
} from "./kernel_messages.ts";
export { encodeLine, LineDecoder, LineTooLongError } from "./line_codec.ts";
export type { ProtocolLine } from "./line_codec.ts";
export { LineWriter } from "./line_writer.ts";
export { loadSchemas } from "./load_schemas.ts";
export { isMessage, parseKernelMessage } from "./parse_kernel_message.ts";
export { storedMessage } from "./run_event.ts";
export type {
  ControlFileEvent,
  MessageStep,
  RunEvent,
  ToolDeniedEvent,
} from "./run_event.ts";
export type {
  CapabilityReport,
  DeniedCalls,
  RefusedAccess,
  RefusedCounts,
} from "./capabilities.ts";
export { answerOf, EXIT_CODES, statusOf } from "./run_result.ts";
export type {
  ControlFileReport,
  RunFacts,
  RunResult,
  RunStatus,
} from "./run_result.ts";
export { NOTHING_GRANTED } from "./sandbox_report.ts";
export type {
  GrantedCapabilities,
  ProbeOutcome,
  ProbeReport,
  ProbeTargets,
  RingProbes,
  SandboxReport,
} from "./sandbox_report.ts";
export { schemaDocument } from "./schema_document.ts";
export type {
  LimitOptions,
  RunOutcome,
  SessionHeader,
} from "../session/mod.ts";
