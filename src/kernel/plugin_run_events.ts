import type {
  PluginDiagnostic,
  PluginFault,
} from "../plugin_host/plugin_diagnostic.ts";
import type {
  PluginErrorEvent,
  PluginNoticeEvent,
  PluginRunEvent,
} from "../protocol/documented_events.ts";

/** UTF-16 units of a text: what a plugin makes of it has no other bound, and the host takes no more than some. */
const MAX_TEXT = 16 * 1024;

/** Makes the event of a plugin that was loaded, or was not. */
export function diagnosticEvent(
  { state, reason = "", name, path, file, line, column, ...loaded }:
    PluginDiagnostic,
): PluginRunEvent {
  if (state === "loaded") {
    return {
      type: "plugin_loaded",
      name,
      path,
      ...loaded,
      warnings: loaded.warnings.map(cut),
    };
  }
  const event: PluginErrorEvent = {
    type: "plugin_error",
    name,
    path,
    message: cut(reason),
  };
  if (file !== undefined) event.file = cut(file);
  if (line !== undefined) event.line = line;
  if (column !== undefined) event.column = column;
  return event;
}

/** Makes the event of a fault of a plugin. */
export function faultEvent(
  { plugin: name, path, during, message, stack }: PluginFault,
): PluginErrorEvent {
  return {
    type: "plugin_error",
    name,
    path,
    during: cut(during),
    message: cut(message),
    ...(stack === undefined ? {} : { stack: cut(stack) }),
  };
}

/** Makes the event of a notice of a plugin. */
export function noticeEvent(
  name: string,
  { level, message }: Pick<PluginNoticeEvent, "level" | "message">,
): PluginNoticeEvent {
  return { type: "plugin_notice", name, level, message: cut(message) };
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
