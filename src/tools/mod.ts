// The built-in tools, one definition a file, and what they share: paths,
// matching, diffs, the walker. They touch nothing but through operations and
// know no session, no provider and no mode.
export { loadCalls } from "./load_calls.ts";
export { readPathVariants, resolvePath } from "./resolve_path.ts";
export type { ResolvePathOptions } from "./resolve_path.ts";
export { createEditTool, createEditToolDefinition } from "./edit.ts";
export type { EditToolOptions } from "./edit.ts";
export type { EditDiff } from "./edit_diff.ts";
export { inlineImage } from "./inline_image.ts";
export type { InlineImage, InlineImageOptions } from "./inline_image.ts";
export { FileStamps } from "./file_stamps.ts";
export { createReadTool, createReadToolDefinition } from "./read.ts";
export type { ReadDetails, ReadToolOptions } from "./read.ts";
export { createWriteTool, createWriteToolDefinition } from "./write.ts";
export type { WriteToolOptions } from "./write.ts";
export { createBashTool, createBashToolDefinition } from "./bash.ts";
export type { BashToolOptions } from "./bash.ts";
export {
  createPowerShellTool,
  createPowerShellToolDefinition,
} from "./powershell.ts";
export type { PowerShellToolOptions } from "./powershell.ts";
export type { ShellToolOptions } from "./shell_tool.ts";
export type { CommandDetails } from "./command_output.ts";
export { createFindTool, createFindToolDefinition } from "./find.ts";
export type { FindDetails, FindToolOptions } from "./find.ts";
export { createGrepTool, createGrepToolDefinition } from "./grep.ts";
export type { GrepDetails, GrepToolOptions } from "./grep.ts";
export { createLsTool, createLsToolDefinition } from "./ls.ts";
export type { LsDetails, LsToolOptions } from "./ls.ts";
