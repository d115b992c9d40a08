import type { CommandContext } from "@stricli/core";
import type { Invocation } from "./invocation.ts";

/** Where a route leaves what it understood. */
export interface ParseContext extends CommandContext {
  invocation?: Invocation;
}

/** Options of every command. */
export interface AnyCommandFlags {
  help: boolean;
  version: boolean;
}

/** How they are scanned. */
export const anyCommandFlags = {
  help: {
    kind: "boolean",
    default: false,
    withNegated: false,
    brief: "show help",
  },
  version: {
    kind: "boolean",
    default: false,
    withNegated: false,
    brief: "show the version",
  },
} as const;

/** Their short forms. */
export const anyCommandAliases = { h: "help", v: "version" } as const;

/** A command line that cannot be understood. */
export function invalid(message: string): Invocation {
  return { kind: "invalid", message };
}
