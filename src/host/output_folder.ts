/** The private folder for the full output of long commands of one run. */
export interface OutputFolder {
  /** Absolute and real. */
  path: string;
  /** Removes it; what a stored session still names stays. */
  close(): void;
}

/**
 * Makes the folder: `ofSession` where it can be made, so that outputs last as
 * long as the session that names them, else a temporary one.
 */
export function openOutputFolder(
  ofSession: { path: string; isStored(): boolean } | undefined,
): OutputFolder {
  const stored = ofSession && makeFolder(ofSession.path);
  const path = stored ??
    Deno.realPathSync(Deno.makeTempDirSync({ prefix: "tau-" }));
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

function makeFolder(path: string): string | undefined {
  // Deno's flags could not grant it.
  if (path.includes(",")) return undefined;
  try {
    Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
    return Deno.realPathSync(path);
  } catch {
    // A home that cannot be written is no reason not to run.
    return undefined;
  }
}
