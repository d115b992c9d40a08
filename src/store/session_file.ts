import type {
  EntryContent,
  SessionEntry,
  SessionHeader,
} from "../session/session_entry.ts";
import {
  fileProblem,
  MAX_SESSION_BYTES,
  readOpened,
  readSession,
  SessionError,
  type StoredSession,
  withPath,
} from "./read_session.ts";
import { idInName } from "./session_path.ts";

/** Settings of a {@linkcode SessionFile}. */
export interface SessionFileOptions {
  /** Called once with the reason why the session is not stored. */
  warn(problem: string): void;
}

/**
 * A session that grows. Nothing is written before the user has said something;
 * from then on each entry is on the disk, whole, when `append` returns.
 *
 * While it is open nobody else appends: the lock is the system's and goes away
 * with the process, however that ends. Entries that cannot be written wait for
 * the next one and for `flush`: the run goes on, and `report` tells.
 */
export class SessionFile {
  readonly header: SessionHeader;
  readonly path: string;
  /** Entries that were there when it was opened. */
  readonly entries: readonly SessionEntry[];
  /** The JSON of each of them. */
  readonly lines: readonly string[];
  readonly #options: SessionFileOptions;
  readonly #ids: Set<string>;
  readonly #encoder = new TextEncoder();
  /** Lines that are not written yet. */
  readonly #waiting: string[];
  #file: Deno.FsFile | undefined;
  /** Length to cut the file to before the first write: a crash may have left part of a line behind it. */
  #wholeBytes: number | undefined;
  #lastId: string | null;
  #hasBegun = false;
  /** True when the file can be read but not written. */
  #isReadOnly = false;
  #hasWarned = false;

  private constructor(
    { header, entries, lines, path, waiting = [], ...options }:
      & SessionFileOptions
      & Pick<StoredSession, "entries" | "lines">
      & {
        header: SessionHeader;
        path: string;
        waiting?: string[];
      },
  ) {
    this.header = header;
    this.entries = entries;
    this.lines = lines;
    this.path = path;
    this.#options = options;
    this.#waiting = waiting;
    this.#ids = new Set(entries.map(({ id }) => id));
    this.#lastId = entries.at(-1)?.id ?? null;
  }

  /** A session that begins, or one that goes on from a copy of what is stored of another. */
  static create(
    path: string,
    { header, copied = { entries: [], lines: [] }, ...options }:
      & SessionFileOptions
      & {
        header: SessionHeader;
        copied?: Pick<StoredSession, "entries" | "lines"> | undefined;
      },
  ): SessionFile {
    const { entries, lines } = copied;
    const waiting = [toLine(header), ...lines.map((line) => `${line}\n`)];
    return new SessionFile({
      header,
      entries,
      lines,
      path,
      waiting,
      ...options,
    });
  }

  /**
   * Opens a session to append to it. Throws {@linkcode SessionError} for what
   * is none, and where another process has it open. One that may not be
   * written is read all the same. `newHeader` is for a file without one.
   */
  static open(
    path: string,
    { newHeader, ...options }: SessionFileOptions & {
      newHeader: SessionHeader;
    },
  ): SessionFile {
    const file = openToWrite(path);
    if (!file) {
      const stored = readSession(path);
      const { header = newHeader, entries, lines } = stored;
      const session = new SessionFile({
        header,
        entries,
        lines,
        path,
        ...options,
      });
      session.#isReadOnly = true;
      return session;
    }
    try {
      if (!lock(file)) throw inUse(path);
      const stored = withPath("read", path, () => readOpened(file));
      const id = idInName(path) ?? newHeader.id;
      const { header = { ...newHeader, id }, entries, lines } = stored;
      const session = new SessionFile({
        header,
        entries,
        lines,
        path,
        waiting: repair(stored, header),
        ...options,
      });
      session.#file = file;
      session.#wholeBytes = stored.wholeBytes;
      if (stored.damagedLines > 0) {
        options.warn(
          `${stored.damagedLines} damaged lines of the session ${
            JSON.stringify(path)
          } are left out`,
        );
      }
      return session;
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /**
   * Opens a session, or begins one where there is no file. Of two runs that do
   * so at once one is refused: the file is there, and locked, from now on.
   */
  static openOrCreate(
    path: string,
    options: Parameters<typeof SessionFile.open>[1],
  ): SessionFile {
    try {
      createEmpty(path).close();
    } catch {
      // It is there, or the first entry says why it cannot be written.
    }
    const { newHeader: header, warn } = options;
    return isThere(path)
      ? SessionFile.open(path, options)
      : SessionFile.create(path, { header, warn });
  }

  /** Returns the path of the session, and whether all of it is stored. */
  report(): { file?: string; stored: boolean } {
    const isThere = this.#file !== undefined || this.#isReadOnly;
    const isComplete = !this.#hasBegun || this.#waiting.length === 0;
    return {
      ...(isThere ? { file: this.path } : {}),
      stored: isThere && isComplete,
    };
  }

  /** Adds an entry behind the last one; returns its id. */
  append(content: EntryContent): string {
    const id = this.#newId();
    const timestamp = new Date().toISOString();
    const { type, ...rest } = content;
    const place = { type, id, parentId: this.#lastId, timestamp };
    this.#waiting.push(toLine({ ...place, ...rest } as SessionEntry));
    this.#lastId = id;
    this.#hasBegun ||= content.type === "message" &&
      content.message.role === "user";
    if (this.#hasBegun) this.#write();
    return id;
  }

  /** Tries again to write the entries that could not be written before. */
  flush(): void {
    if (this.#hasBegun) this.#write();
  }

  /** Closes the file, which frees its lock. */
  close(): void {
    this.#file?.close();
  }

  #write(): void {
    try {
      const file = this.#file ??= this.#create();
      if (this.#wholeBytes !== undefined) {
        file.truncateSync(this.#wholeBytes);
        this.#wholeBytes = undefined;
      }
      for (
        let line = this.#waiting[0];
        line !== undefined;
        line = this.#waiting[0]
      ) {
        appendWhole(file, this.#encoder.encode(line));
        this.#waiting.shift();
      }
    } catch (error) {
      if (this.#hasWarned) return;
      this.#hasWarned = true;
      this.#options.warn(
        `Cannot store the session in ${JSON.stringify(this.path)}: ${
          fileProblem(error)
        }; the run continues without it`,
      );
    }
  }

  #create(): Deno.FsFile {
    if (this.#isReadOnly) throw new SessionError("it may not be written");
    const file = createEmpty(this.path);
    lock(file);
    return file;
  }

  #newId(): string {
    while (true) {
      const id = crypto.getRandomValues(new Uint8Array(4)).toHex();
      if (this.#ids.has(id)) continue;
      this.#ids.add(id);
      return id;
    }
  }
}

/** Creates a file that is not there, and its folder. */
function createEmpty(path: string): Deno.FsFile {
  const folder = path.slice(0, path.search(/[/\\][^/\\]*$/));
  if (folder !== "" && folder !== path) {
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  return Deno.openSync(path, {
    read: true,
    write: true,
    createNew: true,
    mode: 0o600,
  });
}

function isThere(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (error) {
    // A file that cannot be examined counts as present: opening it gives the error.
    return !(error instanceof Deno.errors.NotFound);
  }
}

/** Removes a session. Throws {@linkcode SessionError} where a run has it open. */
export function removeSession(path: string): void {
  const file = openToWrite(path);
  try {
    if (file && !lock(file)) throw inUse(path);
    withPath("remove", path, () => Deno.removeSync(path));
  } finally {
    file?.close();
  }
}

function inUse(path: string): SessionError {
  return new SessionError(
    `The session ${
      JSON.stringify(path)
    } is in use by another run; wait for its end, or continue a copy with --fork`,
  );
}

/** Opens a session to write to it; undefined where that fails: reading it next gives the error. */
function openToWrite(path: string): Deno.FsFile | undefined {
  try {
    if (!Deno.statSync(path).isFile) return undefined;
    return Deno.openSync(path, { read: true, write: true });
  } catch {
    return undefined;
  }
}

/** False when another process holds the lock. */
function lock(file: Deno.FsFile): boolean {
  try {
    return file.tryLockSync(true);
  } catch {
    // Some network file systems have no locks.
    return true;
  }
}

/** Text that belongs between the end of the file and the next line. */
function repair(
  { header, lacksLineBreak }: StoredSession,
  newHeader: SessionHeader,
): string[] {
  if (!header) return [toLine(newHeader)];
  return lacksLineBreak ? ["\n"] : [];
}

/** Appends all or nothing. */
function appendWhole(file: Deno.FsFile, bytes: Uint8Array): void {
  const start = file.seekSync(0, Deno.SeekMode.End);
  if (start + bytes.length > MAX_SESSION_BYTES) {
    throw new SessionError("it would be larger than 512 MiB");
  }
  try {
    for (let at = 0; at < bytes.length;) {
      at += file.writeSync(bytes.subarray(at));
    }
  } catch (error) {
    file.truncateSync(start);
    throw error;
  }
}

function toLine(value: SessionHeader | SessionEntry): string {
  return `${JSON.stringify(value)}\n`;
}
