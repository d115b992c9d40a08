import type { JsonValue } from "../model/content.ts";

// Events that the library tells, with documentation for its users. A test
// compares them with their schemas.

/** A rule kept a call from being made, or nobody approved it. */
export interface ToolDeniedEvent {
  type: "tool_denied";
  toolCallId: string;
  toolName: string;
  /** A rule denies it; the user said no; or nobody could be asked. */
  reason: "denied" | "not_approved" | "no_approver";
  /** As it was written; absent where no rule was about the call. */
  rule?: string;
  /** The settings file that it is from, or the command line. */
  source?: string;
}

/** A plugin is loaded. */
export interface PluginLoadedEvent {
  type: "plugin_loaded";
  /** The name of its file or folder. */
  name: string;
  path: string;
  /** Milliseconds for import and function. */
  ms: number;
  /** Names of what it adds. */
  tools: string[];
  commands: string[];
  flags: string[];
  /** Names of the events that it hears. */
  events: string[];
  /** Parts that were left out, each with the reason. */
  warnings: string[];
}

/** A plugin could not be loaded, or got something wrong later. */
export interface PluginErrorEvent {
  type: "plugin_error";
  name: string;
  path: string;
  /** An event, a tool or a command; absent when it could not be loaded. */
  during?: string;
  message: string;
  file?: string;
  /** Counted from 1. */
  line?: number;
  /** Counted from 1. */
  column?: number;
  stack?: string;
}

/** A plugin tells the user something. */
export interface PluginNoticeEvent {
  type: "plugin_notice";
  name: string;
  level: "info" | "warning" | "error";
  message: string;
}

/** A plugin keeps something in the session, which the model does not see. */
export interface CustomEntryEvent {
  type: "custom_entry";
  customType: string;
  data?: JsonValue;
}

/** Event about a plugin. */
export type PluginRunEvent =
  | PluginLoadedEvent
  | PluginErrorEvent
  | PluginNoticeEvent
  | CustomEntryEvent;
