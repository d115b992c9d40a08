import type { RunEvent } from "../protocol/event_schemas.ts";

/** Returns the line for people about a plugin. */
export function pluginLines(event: RunEvent): string[] {
  switch (event.type) {
    case "plugin_loaded":
      return event.warnings.map((warning) =>
        `tau: Plugin "${event.name}" (${event.path}): ${warning}`
      );
    case "plugin_error": {
      const { name, path, during, message, file = path, line, column } = event;
      if (during !== undefined) {
        return [
          `tau: Plugin "${name}" (${path}) failed in ${during}: ${message}`,
        ];
      }
      const place = line === undefined ? file : `${file}:${line}:${column}`;
      return [`tau: Plugin "${name}" is not loaded (${place}): ${message}`];
    }
    case "plugin_notice":
      return [`${event.name}: ${event.message}`];
    default:
      return [];
  }
}
