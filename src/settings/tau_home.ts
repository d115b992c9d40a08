import { UsageError } from "./usage_error.ts";

/**
 * The folder of the user's own settings, sessions and skills: `TAU_HOME`, by
 * default `.tau` in the home folder. Undefined where there is neither. Throws
 * {@linkcode UsageError} for a relative one, which would mean another folder
 * with each working folder.
 */
export function tauHome(env: Record<string, string>): string | undefined {
  const named = env.TAU_HOME;
  if (!named) {
    const home = env.HOME || env.USERPROFILE;
    return home ? `${withoutSlash(home)}/.tau` : undefined;
  }
  if (/^([/\\]|[a-z]:[/\\])/i.test(named)) return withoutSlash(named);
  throw new UsageError(
    `TAU_HOME must be an absolute path, not ${JSON.stringify(named)}`,
  );
}

function withoutSlash(path: string): string {
  return path.length > 1 ? path.replace(/[/\\]+$/, "") : path;
}
