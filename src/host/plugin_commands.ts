import type { JsonValue } from "../model/content.ts";

/** A command of a plugin, which a prompt can begin with, behind a slash. */
export interface PluginCommand {
  /** Without the slash. */
  name: string;
  description?: string;
  source: "plugin";
}

const MAX_COMMANDS = 1000;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_:-]{0,63}$/;
const MAX_DESCRIPTION = 1024;

/** The commands that a kernel tells of; what is none is left out. */
export function pluginCommandsIn(
  commands: JsonValue | undefined,
): PluginCommand[] {
  if (!Array.isArray(commands)) return [];
  return commands.slice(0, MAX_COMMANDS).flatMap((command) => {
    if (typeof command !== "object" || command === null) return [];
    const { name, description } = command as Record<string, unknown>;
    if (typeof name !== "string" || !NAME.test(name)) return [];
    return [{
      name,
      ...(typeof description === "string"
        ? { description: description.slice(0, MAX_DESCRIPTION) }
        : {}),
      source: "plugin" as const,
    }];
  });
}
