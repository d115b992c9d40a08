// Side effects that tools need, as interfaces, with a local and an in-memory
// implementation, and the queue that orders changes of one file. It asks the
// policy about real paths; it knows no tool, no model and no text for a model.
export {
  baseName,
  isAbsolutePath,
  joinPath,
  normalizePath,
  parentPath,
  relativePath,
} from "./lexical_path.ts";
export {
  FileChangedError,
  NotRegularFileError,
  PathRefusedError,
  sameStamp,
} from "./file_operations.ts";
export type {
  EditOperations,
  FileKind,
  FileOperations,
  FileStamp,
  OpenedFile,
  ReadOperations,
  WriteFileOptions,
  WriteOperations,
  WriteOutcome,
} from "./file_operations.ts";
export type { FileSystemCalls } from "./file_system_calls.ts";
export { withFileMutationQueue } from "./file_mutation_queue.ts";
export type { FileMutationQueueOptions } from "./file_mutation_queue.ts";
export { createLocalFileOperations } from "./local_file_operations.ts";
export type { LocalFileOperationsOptions } from "./local_file_operations.ts";
export { createMemoryOperations } from "./memory_operations.ts";
export type {
  MemoryEntry,
  MemoryOperations,
  MemoryOperationsOptions,
} from "./memory_operations.ts";
export { resolveRealPath } from "./real_path.ts";
export type { RealPath } from "./real_path.ts";
export { ExecAbortedError, ExecTimeoutError } from "./bash_operations.ts";
export type {
  BashOperations,
  ExecOptions,
  ExecResult,
  OutputFile,
  PowerShellOperations,
} from "./bash_operations.ts";
export { createLocalBashOperations } from "./local_bash_operations.ts";
export type { LocalBashOptions } from "./local_bash_operations.ts";
export { createLocalPowerShellOperations } from "./local_powershell_operations.ts";
export type {
  LocalShellOperations,
  LocalShellOptions,
} from "./local_shell_operations.ts";
export { createLocalProgramOperations } from "./local_program_operations.ts";
export type { LocalProgramOptions } from "./local_program_operations.ts";
export type {
  ProgramOperations,
  ProgramOptions,
  ProgramResult,
} from "./program_operations.ts";
export type { RefusalListener } from "./path_refusals.ts";
export { createLocalSearchOperations } from "./search_operations.ts";
export type {
  DirectoryEntry,
  FindOperations,
  GrepOperations,
  LocalSearchOperationsOptions,
  LsOperations,
} from "./search_operations.ts";
