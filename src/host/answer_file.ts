import { UsageError } from "../settings/usage_error.ts";

/** A file that takes the answer of a run. */
export interface AnswerFile {
  /**
   * Replaces the whole file in one step. To be called when no process of the
   * run is alive; rejects with an error whose message is for people.
   */
  write(answer: string): Promise<void>;
}

/**
 * Looks at the place of a file before a run and keeps its real path: what the
 * run puts there meanwhile, such as a link, leads nowhere else. Throws a
 * {@linkcode UsageError} where no file can be written.
 */
export async function openAnswerFile(path: string): Promise<AnswerFile> {
  const failed = (error: unknown) =>
    `Cannot write the answer to ${JSON.stringify(path)}: ${reason(error)}`;
  try {
    const place = await findPlace(path);
    // Only making one shows that a file can be made here.
    await Deno.remove(await makeFile(place, ""));
    return {
      async write(answer) {
        try {
          await replace(place, answer);
        } catch (error) {
          throw new Error(failed(error), { cause: error });
        }
      },
    };
  } catch (error) {
    throw new UsageError(failed(error), { cause: error });
  }
}

interface Place {
  /** Absolute and real. */
  folder: string;
  name: string;
  /** Mode of the file that is there. */
  mode: number | undefined;
}

async function findPlace(path: string): Promise<Place> {
  const there = await Deno.lstat(path).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  });
  if (!there) {
    const { folder, name } = split(path);
    if (name === "") throw new Error("it names a folder");
    return { folder: await Deno.realPath(folder), name, mode: undefined };
  }
  const { isFile, mode } = await Deno.stat(path);
  if (!isFile) throw new Error("it is not a regular file");
  const { folder, name } = split(await Deno.realPath(path));
  return {
    folder: await Deno.realPath(folder),
    name,
    mode: mode ?? undefined,
  };
}

function split(path: string): { folder: string; name: string } {
  const slash = Deno.build.os === "windows" ? /[/\\]/ : /\//;
  const parts = path.split(slash);
  const name = parts.pop() ?? "";
  const folder = path.slice(0, path.length - name.length);
  return { folder: folder || ".", name };
}

async function replace(place: Place, answer: string): Promise<void> {
  if (await Deno.realPath(place.folder) !== place.folder) {
    throw new Error("its folder was moved while the run went on");
  }
  const made = await makeFile(place, answer);
  try {
    await Deno.rename(made, `${place.folder}/${place.name}`);
  } catch (error) {
    await Deno.remove(made).catch(() => {});
    throw error;
  }
}

/** A new file beside the one that it will replace. */
async function makeFile(
  { folder, mode }: Place,
  text: string,
): Promise<string> {
  const path = `${folder}/.tau-${crypto.randomUUID()}.tmp`;
  try {
    await Deno.writeTextFile(path, text, { createNew: true });
    if (mode !== undefined) await Deno.chmod(path, mode & 0o777);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) {
      await Deno.remove(path).catch(() => {});
    }
    throw error;
  }
  return path;
}

function reason(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) {
    return "there is no such folder, or a link that leads nowhere";
  }
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  return error instanceof Error ? error.message : String(error);
}
