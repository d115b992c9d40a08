// What tools and plugins are written against: definitions, themes, truncation
// and the schema builder. It knows no concrete tool and does no I/O.
export { ToolError } from "../agent/mod.ts";
export type {
  AgentTool,
  AgentToolResult,
  AgentToolUpdate,
  ToolExecutionMode,
} from "../agent/mod.ts";
export type {
  ConstrainedSampling,
  ImageContent,
  JsonObject,
  JsonValue,
  TextContent,
  UserContent,
} from "../model/mod.ts";
export { Type } from "./schema_types.ts";
export type { Static, TSchema } from "./schema_types.ts";
export { plainTheme, terminalTheme } from "./theme.ts";
export type { Theme, ThemeColor } from "./theme.ts";
export { defineTool, wrapToolDefinition } from "./tool_definition.ts";
export type {
  AnyToolDefinition,
  RenderContext,
  RenderOptions,
  ToolContext,
  ToolDefinition,
} from "./tool_definition.ts";
export {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  truncateHead,
  truncateLine,
  truncateTail,
} from "./truncate.ts";
export type { TruncationOptions, TruncationResult } from "./truncate.ts";
export { visibleText } from "./visible_text.ts";
