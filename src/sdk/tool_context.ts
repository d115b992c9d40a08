/** The run as any tool sees it. Each call gets one. */
export interface ToolContext {
  /** The working folder, absolute. Relative paths of arguments start here. */
  cwd: string;
  /** Aborts when this call is stopped. */
  signal?: AbortSignal;
  /** Variables that a shell tool adds to its children, such as `TAU_SESSION_ID`. */
  sessionEnvironment?: Record<string, string>;
}
