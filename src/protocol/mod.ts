// What host and kernel say to each other, and what a run says to the world:
// messages, events, the result record, and the lines that carry them. It knows
// no process, no file and no terminal.
export type {
  HostMessage,
  KernelMessage,
  MessageRef,
  ModelRequest,
  RunSetup,
} from "./kernel_messages.ts";
export { encodeLine, LineDecoder, LineTooLongError } from "./line_codec.ts";
export type { ProtocolLine } from "./line_codec.ts";
export { LineWriter } from "./line_writer.ts";
export { loadSchemas } from "./load_schemas.ts";
export { isMessage, parseKernelMessage } from "./parse_kernel_message.ts";
export { storedMessage } from "./run_event.ts";
export type { MessageStep, RunEvent } from "./run_event.ts";
export { answerOf, EXIT_CODES, statusOf } from "./run_result.ts";
export type {
  RunFacts,
  RunResult,
  RunStatus,
  SandboxReport,
} from "./run_result.ts";
export { schemaDocument } from "./schema_document.ts";
export type {
  LimitOptions,
  RunOutcome,
  SessionHeader,
} from "../session/mod.ts";
