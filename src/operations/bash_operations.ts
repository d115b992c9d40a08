/** How one command runs. */
export interface ExecOptions {
  /**
   * Gets what the command prints, on both streams, in the order of arrival.
   * Nothing more is read from the command until it has resolved, so that a slow
   * consumer slows the command down. Never called once `exec` has settled.
   */
  onData(chunk: Uint8Array<ArrayBuffer>): void | Promise<void>;
  /** Ends the command. */
  signal?: AbortSignal | undefined;
  /** Default: none. */
  timeoutMs?: number | undefined;
  /** Added to the environment that the implementation gives its commands. */
  env?: Record<string, string> | undefined;
}

/** How a command ended. */
export interface ExecResult {
  /** 128 plus the number of the signal when one ended it; null when nobody knows. */
  exitCode: number | null;
  /** The name of that signal. */
  signal?: string;
}

/** A file that takes the output that is too long to keep in memory. */
export interface OutputFile {
  /** Absolute. */
  path: string;
  /** Appends all of the bytes. */
  write(bytes: Uint8Array): Promise<void>;
  /** Nothing is written afterwards. */
  close(): void;
}

/**
 * Runs commands for the shell tools. Implement it to point them at another
 * machine.
 *
 * `exec` resolves soon after the shell has ended, also when processes that it
 * left in the background still hold its output. It rejects with
 * {@linkcode ExecAbortedError} or {@linkcode ExecTimeoutError} once every
 * process of the command is dead, with `Deno.errors.NotFound` or
 * `NotADirectory` when `cwd` is no folder.
 */
export interface BashOperations {
  /** Runs one command. */
  exec(command: string, cwd: string, options: ExecOptions): Promise<ExecResult>;
  /** Makes a private file in `folder`, and the folder; absent where full outputs are not kept. */
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
