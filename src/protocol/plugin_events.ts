import type { JsonValue } from "../model/content.ts";

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
  /** What of it was left out, and why. */
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

/** What is told of plugins. */
export type PluginRunEvent =
  | PluginLoadedEvent
  | PluginErrorEvent
  | PluginNoticeEvent
  | CustomEntryEvent;

type Fields = Record<string, unknown>;

const MAX_TEXT = 64 * 1024;
const LEVELS: ReadonlySet<unknown> = new Set<PluginNoticeEvent["level"]>([
  "info",
  "warning",
  "error",
]);

/** Whether what a kernel sent is an event of plugins. */
export function isPluginEvent(event: Fields): boolean {
  switch (event.type as PluginRunEvent["type"]) {
    case "plugin_loaded":
      return isText(event.name) && isText(event.path) &&
        Number.isFinite(event.ms) &&
        [
          event.tools,
          event.commands,
          event.flags,
          event.events,
          event.warnings,
        ].every((list) => Array.isArray(list) && list.every(isText));
    case "plugin_error":
      return isText(event.name) && isText(event.path) &&
        isText(event.message) &&
        [event.during, event.file, event.stack].every((text) =>
          text === undefined || isText(text)
        ) &&
        [event.line, event.column].every((n) =>
          n === undefined || Number.isSafeInteger(n)
        );
    case "plugin_notice":
      return isText(event.name) && isText(event.message) &&
        LEVELS.has(event.level);
    case "custom_entry":
      return isText(event.customType);
  }
  return false;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_TEXT;
}
