/** Options of a program. */
export interface ProgramOptions {
  /** Ends the program when it aborts. */
  signal?: AbortSignal;
  /** Milliseconds until the program is ended. Default: no limit. */
  timeoutMs?: number;
  /** The folder that it starts in: the working folder or one inside, relative or absolute. Default: the working folder. */
  cwd?: string;
  /** Bytes to keep of stdout, and as many of stderr. The rest is read and thrown away. Default 16 MiB. */
  maxBytes?: number;
}

/** The end of a program. */
export interface ProgramResult {
  /** The text (UTF-8) that it wrote to stdout. */
  stdout: string;
  /** The text (UTF-8) that it wrote to stderr. */
  stderr: string;
  /** Its exit code; 128 plus the number of the signal where one ended it. */
  code: number;
  /** True when `signal` or the time limit ended it. */
  killed: boolean;
  /** True when a part of its output was thrown away. */
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
