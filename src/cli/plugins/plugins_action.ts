import type { PluginsAction } from "../invocation.ts";

/** Options of `tau plugins`, each of some of its actions. */
export interface PluginsFlags {
  json: boolean;
  project: boolean;
  dir: boolean;
  /** Milliseconds. */
  timeout?: number;
}

/** What `tau plugins` can be told to do. */
export const PLUGINS_ACTIONS = ["list", "check", "new", "types"] as const;

/** What is said of words and options that do not go together. */
export const PLUGINS_USAGE =
  "Expected one of: tau plugins list [--json], check FILE [--json], new NAME [--project] [--dir], types; a prompt that begins with such a word goes behind --";

/** What the words and options behind `tau plugins` ask for; undefined when they do not go together. */
export function pluginsAction(
  [action = "list", ...words]: readonly string[],
  { json, project, dir, timeout: timeoutMs }: PluginsFlags,
): PluginsAction | undefined {
  const [word, ...more] = words;
  const isLook = action === "list" || action === "check";
  if (more.length > 0) return undefined;
  if (!isLook && (json || timeoutMs !== undefined)) return undefined;
  if (action !== "new" && (project || dir)) return undefined;
  if (word === undefined) {
    if (action === "list") return { action, json, timeoutMs };
    return action === "types" ? { action } : undefined;
  }
  if (action === "check") return { action, file: word, json, timeoutMs };
  return action === "new"
    ? { action, name: word, inProject: project, asFolder: dir }
    : undefined;
}
