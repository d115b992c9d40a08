/**
 * A tool call failed for a reason that the model should read and can act on.
 * Tools, argument checks and blocking handlers throw it; it becomes a tool
 * result with `isError: true`, and the run goes on.
 */
export class ToolError extends Error {
  /** Always `ToolError`. */
  override name = "ToolError";
}
