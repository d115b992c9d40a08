import { resolveRealPath } from "../operations/guarded_paths.ts";
import { resolvePath } from "../tools/resolve_path.ts";

/** The path that an argument means, and where it leads; one that cannot be followed is refused when it is opened. */
export async function locatePath(
  path: string,
  places: { cwd: string; homeDir: string | undefined },
): Promise<{ written: string; real: string }> {
  const written = resolvePath(path, places);
  try {
    return { written, real: (await resolveRealPath(written, Deno)).path };
  } catch {
    return { written, real: written };
  }
}
