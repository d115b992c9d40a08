import { UsageError } from "../settings/usage_error.ts";

/** The private folder for the full output of long commands of one run. */
export interface OutputFolder {
  /** Absolute and real. */
  path: string;
  /** Removes it; what a stored session still names stays. */
  close(): void;
}

/**
 * Makes the folder: `ofSession` where it can be made, so that outputs last as
 * long as the session that names them, else a temporary one. Throws
 * {@linkcode UsageError} when neither can be had.
 */
export function openOutputFolder(
  ofSession: { path: string; isStored(): boolean } | undefined,
): OutputFolder {
  const stored = ofSession && makeFolder(ofSession.path);
  const path = stored ?? makeTempFolder();
  return {
    path,
    close() {
      const keepsFiles = stored !== undefined && ofSession?.isStored();
      try {
        Deno.removeSync(path, { recursive: !keepsFiles });
      } catch {
        // Not empty, and named by the session; or gone already.
      }
    },
  };
}

function makeTempFolder(): string {
  let why: string;
  try {
    const path = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "tau-" }));
    if (isGrantable(path)) return path;
    Deno.removeSync(path);
    why = "its path has a comma";
  } catch (error) {
    why = error instanceof Error ? error.message : String(error);
  }
  throw new UsageError(
    `Cannot use the temporary folder of this system: ${why}; set TMPDIR to another one`,
  );
}

/** Deno's flags have no way to write a comma in a path. */
function isGrantable(path: string): boolean {
  return !path.includes(",");
}

function makeFolder(path: string): string | undefined {
  try {
    Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
    const real = Deno.realPathSync(path);
    if (isGrantable(real)) return real;
    Deno.removeSync(real);
  } catch {
    // A home that cannot be written is no reason not to run.
  }
  return undefined;
}
