import { reasonOf } from "../model/error_reason.ts";
import { isObject } from "../model/json_values.ts";
import { isMessage } from "../protocol/checks.ts";
import type { SessionEntry, SessionHeader } from "../session/session_entry.ts";

/** A session that cannot be opened, for the user: `message` is one line. */
export class SessionError extends Error {
  override name = "SessionError";
}

/** Contents of a session's file. */
export interface StoredSession {
  /** Absent where the file is empty, or a crash left only part of its first line. */
  header?: SessionHeader;
  entries: SessionEntry[];
  /** The JSON of each entry. */
  lines: string[];
  /** Whole lines behind the first that are no entries: left out. */
  damagedLines: number;
  /** Bytes up to the end of the last whole line. */
  wholeBytes: number;
  /** The last line is whole but for its line break. */
  lacksLineBreak: boolean;
}

/** Largest session that is opened: a longer text is more than one string may hold. */
export const MAX_SESSION_BYTES = 512 * 1024 * 1024 - 1024;
/** Start of every header, as `SessionFile` writes it. */
const HEADER_START = '{"type":"session","version":3,"id":"';

/** Reads a session. Throws {@linkcode SessionError} for a file that is none. */
export function readSession(path: string): StoredSession {
  return withPath("read", path, () => {
    // A FIFO would hold up who opens it.
    if (!Deno.statSync(path).isFile) throw new SessionError("not a file");
    using file = Deno.openSync(path);
    return readOpened(file);
  });
}

/** Reads a session from its open file. */
export function readOpened(file: Deno.FsFile): StoredSession {
  return parseSession(readAll(file));
}

/** Does something to a session. Throws {@linkcode SessionError} that names the action, the file and the reason. */
export function withPath<Result>(
  action: string,
  path: string,
  act: () => Result,
): Result {
  try {
    return act();
  } catch (error) {
    throw new SessionError(
      `Cannot ${action} the session ${JSON.stringify(path)}: ${
        fileProblem(error)
      }`,
      { cause: error },
    );
  }
}

/** Says in a few words why the file system refused something. */
export function fileProblem(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "no such file";
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  return reasonOf(error);
}

function readAll(file: Deno.FsFile): Uint8Array {
  const { size } = file.statSync();
  if (size > MAX_SESSION_BYTES) throw new SessionError("larger than 512 MiB");
  const bytes = new Uint8Array(size);
  let at = 0;
  while (at < size) {
    const count = file.readSync(bytes.subarray(at));
    if (count === null) break;
    at += count;
  }
  return bytes.subarray(0, at);
}

function parseSession(bytes: Uint8Array): StoredSession {
  const wholeBytes = bytes.lastIndexOf(10) + 1;
  const decoder = new TextDecoder();
  const lines = decoder.decode(bytes.subarray(0, wholeBytes)).split("\n");
  lines.pop();
  const rest = decoder.decode(bytes.subarray(wholeBytes));
  const session: StoredSession = {
    entries: [],
    lines: [],
    damagedLines: 0,
    wholeBytes,
    lacksLineBreak: false,
  };
  for (const line of lines) take(session, line);
  if (rest !== "" && isWhole(rest)) {
    take(session, rest);
    session.lacksLineBreak = true;
    session.wholeBytes = bytes.length;
  }
  if (!session.header) {
    const isBegun = lines.length === 0 &&
      (HEADER_START.startsWith(rest) || rest.startsWith(HEADER_START));
    if (!isBegun) throw new SessionError(whyNone(lines[0] ?? rest));
  }
  return session;
}

/** Says why a text that begins with this line is no session. */
function whyNone(line: string): string {
  const { type, version } = parse(line) ?? {};
  return type === "session" && typeof version === "number"
    ? `it is of version ${version}, and this tau knows version 3`
    : "it is not a session of tau";
}

/** The header in a line, or undefined. */
export function parseHeader(line: string): SessionHeader | undefined {
  const value = parse(line);
  if (value?.type !== "session" || value.version !== 3) return undefined;
  const { id, timestamp, cwd } = value;
  const isHeader = [id, timestamp, cwd].every((it) => typeof it === "string");
  return isHeader ? value as unknown as SessionHeader : undefined;
}

/** Reads the entry in a line. One of a kind that is not known is kept, as a place in the tree. */
function parseEntry(line: string): SessionEntry | undefined {
  const value = parse(line);
  if (!value || typeof value.type !== "string") return undefined;
  const { id, parentId, timestamp } = value;
  const isPlaced = typeof id === "string" && typeof timestamp === "string" &&
    (parentId === null || typeof parentId === "string");
  if (!isPlaced || !hasItsFields(value)) return undefined;
  return value as unknown as SessionEntry;
}

function take(session: StoredSession, line: string): void {
  if (line === "" || line === "\r") return;
  if (!session.header) {
    const header = parseHeader(line);
    if (header) {
      session.header = header;
      return;
    }
  }
  const entry = session.header && parseEntry(line);
  if (!entry) {
    session.damagedLines++;
    return;
  }
  session.entries.push(entry);
  session.lines.push(line);
}

function isWhole(line: string): boolean {
  return parseHeader(line) !== undefined ||
    parseEntry(line) !== undefined;
}

/** True for an entry with the fields that the projection of a session reads. */
function hasItsFields(value: Record<string, unknown>): boolean {
  switch (value.type) {
    case "message":
      return isMessage(value.message);
    case "custom_message":
      return typeof value.content === "string" ||
        isMessage({ role: "user", content: value.content });
    case "compaction":
      return typeof value.summary === "string" &&
        typeof value.firstKeptEntryId === "string" &&
        (value.systemMessage === undefined || isMessage(value.systemMessage));
    case "branch_summary":
      return typeof value.summary === "string";
    case "context_edit":
      return value.replacement === null ||
        typeof value.replacement === "string";
    case "model_change":
      return typeof value.provider === "string" &&
        typeof value.modelId === "string";
    case "thinking_level_change":
      return typeof value.thinkingLevel === "string";
  }
  return value.type !== "session";
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
