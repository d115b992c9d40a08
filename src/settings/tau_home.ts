import { UsageError } from "./usage_error.ts";

/**
 * The folder of the user's own settings, sessions and skills: `TAU_HOME`, by
 * default `.tau` in the home folder. A relative one would mean another folder
 * with each working folder, whose files nobody has trusted: `TAU_HOME` is then
 * refused by a {@linkcode UsageError}, a home folder is none. Undefined where
 * there is neither.
 */
export function tauHome(env: Record<string, string>): string | undefined {
  const named = env.TAU_HOME;
  if (!named) {
    const home = env.HOME || env.USERPROFILE;
    return home && isAbsolute(home) ? `${withoutSlash(home)}/.tau` : undefined;
  }
  if (isAbsolute(named)) return withoutSlash(named);
  throw new UsageError(
    `TAU_HOME must be an absolute path, not ${JSON.stringify(named)}`,
  );
}

function isAbsolute(path: string): boolean {
  return /^([/\\]|[a-z]:[/\\])/i.test(path);
}

function withoutSlash(path: string): string {
  return path.length > 1 ? path.replace(/[/\\]+$/, "") : path;
}
