import { reasonOf } from "../model/error_reason.ts";
import { readJsonFile } from "./read_json_file.ts";
import { UsageError } from "./usage_error.ts";

/** Files of `.tau` that do something once the project is trusted. */
const EFFECTIVE = ["settings.json", "skills", "prompts", "plugins"];

/** A working folder, and what is known of the user's trust in it. */
export interface ProjectOptions {
  /** Absolute and real. */
  cwd: string;
  /** `TAU_HOME`. */
  home: string | undefined;
  /** `--trust` or `--no-trust`; the saved decision counts when absent. */
  trust?: boolean | undefined;
}

/** The `.tau` of a working folder. */
export interface Project {
  /** True when the user trusts it, for this run or by a saved decision; there need be no `.tau`. */
  isTrusted(): boolean;
  /** Set when it is trusted and there. */
  folder?: string;
  /** A line for stderr, when something was left out that nobody has decided on. */
  notice?: string;
}

/**
 * Decides whether the working folder's `.tau` counts. Its files can point the run at
 * another provider and so at another reader of keys and code: without a
 * decision of the user it does not. Throws {@linkcode UsageError}.
 */
export function findProject({ cwd, home, trust }: ProjectOptions): Project {
  // Read when it is asked for: most folders have nothing that needs trust.
  const decision = () =>
    trust ?? (home === undefined ? undefined : savedTrust(home)[cwd]);
  const isTrusted = () => decision() === true;
  const folder = `${cwd === "/" ? "" : cwd}/.tau`;
  if (trust === false || !exists(folder) || isSame(folder, home)) {
    return { isTrusted };
  }
  if (isTrusted()) return { isTrusted, folder };
  const isBare = !EFFECTIVE.some((name) => exists(`${folder}/${name}`));
  if (decision() === false || isBare) return { isTrusted };
  return {
    isTrusted,
    notice: `${
      JSON.stringify(folder)
    } is left out, since this project is not trusted; run with --trust, or once: tau trust`,
  };
}

/** Saves that a folder is trusted, or forgets what was saved. Throws {@linkcode UsageError}. */
export function saveTrust(
  { cwd, home }: { cwd: string; home: string },
  decision: true | undefined,
): void {
  const { [cwd]: _, ...others } = savedTrust(home);
  const decisions = decision ? { ...others, [cwd]: decision } : others;
  const path = trustFile(home);
  const beside = `${path}.${crypto.randomUUID()}`;
  try {
    Deno.mkdirSync(home, { recursive: true, mode: 0o700 });
    const json = `${JSON.stringify(decisions, null, 2)}\n`;
    Deno.writeTextFileSync(beside, json, { mode: 0o600, createNew: true });
    Deno.renameSync(beside, path);
  } catch (error) {
    const why = reasonOf(error);
    throw new UsageError(`Cannot write ${JSON.stringify(path)}: ${why}`, {
      cause: error,
    });
  }
}

/** Decisions by the real path of the folder; each is about that folder alone. */
function savedTrust(home: string): Record<string, boolean> {
  const path = trustFile(home);
  const value = readJsonFile(path) ?? {};
  const isRecord = typeof value === "object" && value !== null &&
    Object.values(value).every((decision) => typeof decision === "boolean");
  if (isRecord) return value as Record<string, boolean>;
  throw new UsageError(
    `Cannot read ${
      JSON.stringify(path)
    }: expected true or false for each folder`,
  );
}

/** The file of saved decisions. */
export function trustFile(home: string): string {
  return `${home}/trust.json`;
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

/** `.tau` of the home folder is the user's own, not a project's. */
function isSame(folder: string, home: string | undefined): boolean {
  try {
    return home !== undefined &&
      Deno.realPathSync(folder) === Deno.realPathSync(home);
  } catch {
    return false;
  }
}
