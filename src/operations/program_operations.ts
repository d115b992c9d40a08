/** How a program is run. */
export interface ProgramOptions {
  /** Ends the program. */
  signal?: AbortSignal;
  /** Milliseconds until it is ended. Default: none. */
  timeoutMs?: number;
  /** Where it starts; a folder inside the working folder, relative to it or absolute. Default: the working folder. */
  cwd?: string;
  /** Bytes that are kept of each of stdout and stderr; more is read and thrown away. Default 16 MiB. */
  maxBytes?: number;
}

/** How a program ended. */
export interface ProgramResult {
  /** As UTF-8. */
  stdout: string;
  /** As UTF-8. */
  stderr: string;
  /** 128 and the signal's number where a signal ended it. */
  code: number;
  /** It was ended, by its signal or its time limit. */
  killed: boolean;
  /** Something of its output was thrown away. */
  truncated: boolean;
}

/** Runs programs without a shell. */
export interface ProgramOperations {
  /** Rejects where the program cannot be started, with the `Deno.errors` class that fits. */
  run(
    command: string,
    args: readonly string[],
    options?: ProgramOptions,
  ): Promise<ProgramResult>;
}
