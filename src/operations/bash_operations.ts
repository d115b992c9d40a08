/** Options of a command. */
export interface ExecOptions {
  /**
   * Gets the output of the command, of stdout and stderr, in the order of
   * arrival. Nothing more is read until the promise that it returns has
   * resolved, so that a slow reader slows the command down. Never called once
   * `exec` has settled.
   */
  onData(chunk: Uint8Array<ArrayBuffer>): void | Promise<void>;
  /** Ends the command when it aborts. */
  signal?: AbortSignal | undefined;
  /** Milliseconds until the command is ended. Default: no limit. */
  timeoutMs?: number | undefined;
  /** The same time in seconds, for operations that count so. */
  timeout?: number | undefined;
  /** Variables that are added to the environment of the command. */
  env?: Record<string, string> | undefined;
}

/** The end of a command. */
export interface ExecResult {
  /** The exit code; 128 plus the number of the signal when one ended the command; null when it is not known. */
  exitCode: number | null;
  /** The name of the signal that ended the command. */
  signal?: string;
}

/** A file that takes the output that is too long to keep in memory. */
export interface OutputFile {
  /** The path of the file, absolute. */
  path: string;
  /** Appends bytes. */
  write(bytes: Uint8Array): Promise<void>;
  /** Closes the file. */
  close(): void;
}

/**
 * Runs commands for the shell tools. Implement it to point them at another
 * machine.
 *
 * `exec` resolves soon after the shell has ended, also when processes that it
 * left in the background still hold its output. When the command was aborted or
 * took too long it rejects with {@linkcode ExecAbortedError} or
 * {@linkcode ExecTimeoutError}, or with `Error("aborted")` or
 * `Error("timeout:SECONDS")`, once every process of the command is dead. It
 * rejects with `Deno.errors.NotFound` or `NotADirectory` when `cwd` is no
 * folder.
 */
export interface BashOperations {
  /** Runs one command. */
  exec(command: string, cwd: string, options: ExecOptions): Promise<ExecResult>;
  /** Makes the folder, and a private file in it that takes the full output. Default: on this machine. */
  createOutputFile?(folder: string): Promise<OutputFile>;
}

/** Runs commands for the powershell tool; as {@linkcode BashOperations}. */
export type PowerShellOperations = BashOperations;

/** The signal aborted the command; its processes are dead. */
export class ExecAbortedError extends Error {
  override name = "ExecAbortedError";

  constructor() {
    super("The command was aborted");
  }
}

/** The command took longer than its timeout; its processes are dead. */
export class ExecTimeoutError extends Error {
  override name = "ExecTimeoutError";

  constructor() {
    super("The command took longer than its timeout");
  }
}
