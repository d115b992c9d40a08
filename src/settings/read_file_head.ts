/** The first bytes of a file. */
export interface FileHead {
  bytes: Uint8Array<ArrayBuffer>;
  /** Bytes of the whole file. */
  size: number;
}

/**
 * Reads at most `maxBytes` of a file; undefined when there is none. Throws for
 * anything but a regular file: opening a FIFO would wait for a writer.
 *
 * Synchronous, since this stands between the start and the first request: a
 * look at a file that is not there takes microseconds, a thread far more.
 */
export function readFileHead(
  path: string,
  maxBytes: number,
): FileHead | undefined {
  try {
    const { isFile, isDirectory } = Deno.statSync(path);
    if (!isFile) throw new Error(isDirectory ? "it is a folder" : "no file");
    using file = Deno.openSync(path);
    const { size } = file.statSync();
    const bytes = new Uint8Array(Math.min(size, maxBytes));
    let at = 0;
    while (at < bytes.length) {
      const count = file.readSync(bytes.subarray(at));
      if (count === null) break;
      at += count;
    }
    return { bytes: bytes.subarray(0, at), size };
  } catch (error) {
    // NotADirectory: something above it is a file.
    const isAbsent = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory;
    if (isAbsent) return undefined;
    throw error;
  }
}
