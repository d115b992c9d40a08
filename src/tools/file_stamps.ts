import type { FileStamp } from "../operations/file_operations.ts";

const MAX_FILES = 10_000;

/**
 * Stamps of the files of one session as it last read or wrote them. The file
 * tools of a session share one, so that `write` notices what others changed.
 */
export class FileStamps {
  readonly #stamps = new Map<string, FileStamp>();

  /** Keeps how a file looks, by its real path; the longest unseen file is forgotten first. */
  record(file: { realPath: string; stamp: FileStamp }): void {
    this.#stamps.delete(file.realPath);
    this.#stamps.set(file.realPath, file.stamp);
    const oldest = this.#stamps.keys().next();
    if (this.#stamps.size > MAX_FILES && !oldest.done) {
      this.#stamps.delete(oldest.value);
    }
  }

  /** The stamp of a file; undefined when the session has not seen it. */
  get(realPath: string): FileStamp | undefined {
    return this.#stamps.get(realPath);
  }
}
