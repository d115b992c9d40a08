import type { SessionEntry, SessionHeader } from "../session/session_entry.ts";
import { fileProblem, SessionError } from "./session_error.ts";

/** What a session's file holds. */
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
/** What every header begins with, as {@linkcode SessionFile} writes it. */
const HEADER_START = '{"type":"session","version":3,"id":"';

/** Whether a value is a message that can be worked with. */
export type MessageCheck = (value: unknown) => boolean;

/** Reads a session; messages that fail the check are damaged. Throws {@linkcode SessionError} for what is none. */
export function readSession(
  path: string,
  isMessage: MessageCheck,
): StoredSession {
  try {
    // A FIFO would hold up who opens it.
    if (!Deno.statSync(path).isFile) throw new SessionError("not a file");
    using file = Deno.openSync(path);
    return parseSession(readAll(file), isMessage);
  } catch (error) {
    throw cannotRead(path, error);
  }
}

/** The error for a session that cannot be read. */
export function cannotRead(path: string, error: unknown): SessionError {
  return new SessionError(
    `Cannot read the session ${JSON.stringify(path)}: ${fileProblem(error)}`,
    { cause: error },
  );
}

/** All bytes of an open file. */
export function readAll(file: Deno.FsFile): Uint8Array {
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

/** Reads the bytes of a session. Throws {@linkcode SessionError} for what is none. */
export function parseSession(
  bytes: Uint8Array,
  isMessage: MessageCheck,
): StoredSession {
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
  for (const line of lines) take(session, { line, isMessage });
  if (rest !== "" && isWhole(rest, isMessage)) {
    take(session, { line: rest, isMessage });
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

/** Why a text that begins with this line is no session. */
function whyNone(line: string): string {
  const { type, version } = parse(line) ?? {};
  return type === "session" && typeof version === "number"
    ? `it is of version ${version}, and this tau knows version 3`
    : "it is no session of tau";
}

/** The header in a line, or undefined. */
export function parseHeader(line: string): SessionHeader | undefined {
  const value = parse(line);
  if (value?.type !== "session" || value.version !== 3) return undefined;
  const { id, timestamp, cwd } = value;
  const isHeader = [id, timestamp, cwd].every((it) => typeof it === "string");
  return isHeader ? value as unknown as SessionHeader : undefined;
}

/** The entry in a line, or undefined. One of a kind that is not known is kept, as a place in the tree. */
export function parseEntry(
  line: string,
  isMessage: MessageCheck,
): SessionEntry | undefined {
  const value = parse(line);
  if (!value || typeof value.type !== "string") return undefined;
  const { id, parentId, timestamp } = value;
  const isPlaced = typeof id === "string" && typeof timestamp === "string" &&
    (parentId === null || typeof parentId === "string");
  if (!isPlaced || !hasItsFields(value, isMessage)) return undefined;
  return value as unknown as SessionEntry;
}

function take(
  session: StoredSession,
  { line, isMessage }: { line: string; isMessage: MessageCheck },
): void {
  if (line === "" || line === "\r") return;
  if (!session.header) {
    const header = parseHeader(line);
    if (header) {
      session.header = header;
      return;
    }
  }
  const entry = session.header && parseEntry(line, isMessage);
  if (!entry) {
    session.damagedLines++;
    return;
  }
  session.entries.push(entry);
  session.lines.push(line);
}

function isWhole(line: string, isMessage: MessageCheck): boolean {
  return parseHeader(line) !== undefined ||
    parseEntry(line, isMessage) !== undefined;
}

/** Whether an entry has what the projection of a session reads of its kind. */
function hasItsFields(
  value: Record<string, unknown>,
  isMessage: MessageCheck,
): boolean {
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
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
