import type { SessionHeader } from "../session/session_entry.ts";
import { parseHeader, SessionError } from "./read_session.ts";
import { folderOf, idInName } from "./session_path.ts";

/** A session as a row of the list. */
export interface SessionSummary {
  id: string;
  file: string;
  cwd: string;
  /** When it began; ISO 8601. */
  startedAt: string;
  /** When it was last written to; ISO 8601. */
  changedAt: string;
  bytes: number;
  /** The beginning of what the user said first. */
  firstText: string;
}

/** Bytes in which the first words of the user are looked for: a short prompt, and a long one. */
const READ_BYTES = [32 * 1024, 1024 * 1024];
const MAX_TEXT_LENGTH = 200;
/** A shorter one would be a guess. */
const MIN_PREFIX = 4;

/** All sessions in a folder of sessions, those that were written to last first. What cannot be read is left out. */
export function listSessions(folder: string): SessionSummary[] {
  return newestFirst(allFiles(folder)).flatMap((file) => {
    const summary = summarize(file);
    return summary ? [summary] : [];
  });
}

/** The file of the session of this working folder that was written to last. */
export function continuedSession(
  cwd: string,
  folder: string,
): string | undefined {
  const files = newestFirst(filesIn(folderOf(cwd, folder)));
  return files.find(({ path }) => headerOf(path)?.cwd === cwd)?.path;
}

/** The file of the session with this id, or with an id that begins so. Throws {@linkcode SessionError} for none and for several. */
export function findSession(id: string, folder: string | undefined): string {
  const wanted = id.toLowerCase();
  if (!/^[0-9a-f-]+$/.test(wanted) || wanted.length < MIN_PREFIX) {
    throw new SessionError(
      `${
        JSON.stringify(id)
      } is not a session id: tau sessions list shows them, and their first ${MIN_PREFIX} or more characters will do`,
    );
  }
  const found = (folder === undefined ? [] : allFiles(folder))
    .filter(({ id }) => id.startsWith(wanted));
  const [first, ...others] = found;
  if (!first) {
    throw new SessionError(
      `No session ${JSON.stringify(id)}; tau sessions list shows all`,
    );
  }
  if (others.length > 0) {
    const ids = found.slice(0, 5).map(({ id }) => id).join(", ");
    throw new SessionError(
      `${found.length} sessions begin with ${JSON.stringify(id)}: ${ids}`,
    );
  }
  return first.path;
}

interface FoundFile {
  id: string;
  path: string;
}

function allFiles(folder: string): FoundFile[] {
  return entriesOf(folder)
    .filter(({ isDirectory }) => isDirectory)
    .flatMap(({ name }) => filesIn(`${folder}/${name}`));
}

function filesIn(folder: string): FoundFile[] {
  return entriesOf(folder).flatMap(({ name, isFile }) => {
    const id = isFile ? idInName(name) : undefined;
    return id === undefined ? [] : [{ id, path: `${folder}/${name}` }];
  });
}

function entriesOf(folder: string): Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(folder)];
  } catch {
    // Not there yet, or not for us.
    return [];
  }
}

function newestFirst(
  files: FoundFile[],
): (FoundFile & { changedMs: number; bytes: number })[] {
  const dated = files.flatMap((file) => {
    try {
      const { mtime, size } = Deno.statSync(file.path);
      return [{ ...file, changedMs: mtime?.getTime() ?? 0, bytes: size }];
    } catch {
      // Removed meanwhile.
      return [];
    }
  });
  // The name begins with the time of the start.
  return dated.sort((a, b) =>
    b.changedMs - a.changedMs || (a.path < b.path ? 1 : -1)
  );
}

function summarize(
  { path, changedMs, bytes }: {
    path: string;
    changedMs: number;
    bytes: number;
  },
): SessionSummary | undefined {
  const header = headerOf(path);
  if (!header) return undefined;
  return {
    id: header.id,
    file: path,
    cwd: header.cwd,
    startedAt: header.timestamp,
    changedAt: new Date(changedMs).toISOString(),
    bytes,
    firstText: firstTextOf(path),
  };
}

function headerOf(path: string): SessionHeader | undefined {
  return parseHeader(firstLines(path, READ_BYTES[0] as number)[0] ?? "");
}

function firstTextOf(path: string): string {
  for (const maxBytes of READ_BYTES) {
    for (const line of firstLines(path, maxBytes)) {
      const text = userText(line);
      if (text !== undefined) return text;
    }
  }
  return "";
}

/** The beginning of what a line has the user say; undefined when that is nothing. */
function userText(line: string): string | undefined {
  if (!line.includes('"role":"user"')) return undefined;
  try {
    const { message } = JSON.parse(line) as {
      message?: { role: string; content: string | { text?: string }[] };
    };
    if (message?.role !== "user") return undefined;
    const { content } = message;
    const text = typeof content === "string"
      ? content
      : content.find(({ text }) => text)?.text ?? "";
    return text.slice(0, 4 * MAX_TEXT_LENGTH).replaceAll(/\s+/g, " ").trim()
      .slice(0, MAX_TEXT_LENGTH);
  } catch {
    return undefined;
  }
}

/** The whole lines among the first bytes of a file. */
function firstLines(path: string, maxBytes: number): string[] {
  try {
    using file = Deno.openSync(path);
    const bytes = new Uint8Array(maxBytes);
    let length = 0;
    while (length < maxBytes) {
      const count = file.readSync(bytes.subarray(length));
      if (count === null) break;
      length += count;
    }
    const text = new TextDecoder().decode(bytes.subarray(0, length));
    const lines = text.split("\n");
    // The last one may go on.
    if (length === maxBytes) lines.pop();
    return lines;
  } catch {
    return [];
  }
}
