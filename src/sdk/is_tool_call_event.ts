import type { ToolCallEvent } from "./plugin_events.ts";

/** The arguments of the built-in tools, by the tool's name. */
export interface BuiltInToolInputs {
  /** Reads a file. */
  read: { path: string; offset?: number; limit?: number };
  /** Writes a file. */
  write: { path: string; content: string };
  /** Replaces parts of a file. */
  edit: { path: string; edits: { oldText: string; newText: string }[] };
  /** Runs a command; `timeout` in seconds. */
  bash: { command: string; timeout?: number };
  /** Runs a command; `timeout` in seconds. */
  powershell: { command: string; timeout?: number };
  /** Searches in files. */
  grep: {
    pattern: string;
    path?: string;
    glob?: string;
    ignoreCase?: boolean;
    literal?: boolean;
    context?: number;
    limit?: number;
  };
  /** Finds files by name. */
  find: { pattern: string; path?: string; limit?: number };
  /** Lists a folder. */
  ls: { path?: string; limit?: number };
}

/** A call of one tool, with the type of its arguments. */
export type ToolCallEventOf<Name extends string, Input> =
  & Omit<ToolCallEvent, "input" | "toolName">
  & { toolName: Name; input: Input };

/**
 * Returns true when a `tool_call` event is a call of that tool; TypeScript then
 * knows the type of its `input`: by itself of a built-in tool, and of another
 * one where it is told, `isToolCallEventType<"name", Parameters>("name", event)`.
 */
export function isToolCallEventType<Name extends keyof BuiltInToolInputs>(
  toolName: Name,
  event: ToolCallEvent,
): event is ToolCallEvent & ToolCallEventOf<Name, BuiltInToolInputs[Name]>;
/** The same for any tool, with the type of its input told. */
export function isToolCallEventType<Name extends string, Input>(
  toolName: Name,
  event: ToolCallEvent,
): event is ToolCallEvent & ToolCallEventOf<Name, Input>;
export function isToolCallEventType(
  toolName: string,
  event: ToolCallEvent,
): boolean {
  return event.toolName === toolName;
}
