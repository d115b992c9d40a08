/** Lines of a result that a tool shows unless it says otherwise. */
export const DEFAULT_MAX_LINES = 2000;

/** Bytes of a result, as UTF-8, that a tool shows unless it says otherwise. */
export const DEFAULT_MAX_BYTES = 50 * 1024;

/** Limits of the functions that truncate. */
export interface TruncationOptions {
  /** Lines to keep. Default 2,000. */
  maxLines?: number;
  /** Bytes of UTF-8 to keep. Default 51,200. */
  maxBytes?: number;
}

/** The outcome of a truncation. Plain JSON, so that it can stand in the `details` of a result. */
export type TruncationResult = {
  /** The text that was kept: all of it when nothing was cut, else whole lines without a final newline. */
  content: string;
  /** True when something was cut. */
  truncated: boolean;
  /** The limit that was hit first. */
  truncatedBy: "lines" | "bytes" | null;
  /** Lines of the whole text. A final newline does not begin another line. */
  totalLines: number;
  /** Bytes of the whole text. */
  totalBytes: number;
  /** Lines that were kept. */
  outputLines: number;
  /** Bytes that were kept. */
  outputBytes: number;
  /** True when `truncateTail` kept only the end of the last line. */
  lastLinePartial: boolean;
  /** True when `truncateHead` kept nothing, since the first line alone is too big. */
  firstLineExceedsLimit: boolean;
  /** The limit of lines that held. */
  maxLines: number;
  /** The limit of bytes that held. */
  maxBytes: number;
};

/** Keeps whole lines from the start, as many as the limits allow. */
export function truncateHead(
  text: string,
  options: TruncationOptions = {},
): TruncationResult {
  const uncut = measure(text, options);
  if (!uncut.truncated) return uncut;
  const { maxLines, maxBytes } = uncut;
  const body = withoutFinalNewline(text);
  let lines = 0;
  let bytes = 0;
  let end = 0;
  let start = 0;
  while (lines < maxLines && start <= body.length) {
    const newline = body.indexOf("\n", start);
    const next = newline === -1 ? body.length : newline;
    const separator = lines === 0 ? 0 : 1;
    const room = maxBytes - bytes - separator;
    const cost = boundedByteLength(body, { start, end: next, bound: room });
    if (cost > room) break;
    bytes += cost + separator;
    lines++;
    end = next;
    start = next + 1;
  }
  return {
    ...uncut,
    content: body.slice(0, end),
    truncatedBy: lines >= maxLines ? "lines" : "bytes",
    outputLines: lines,
    outputBytes: bytes,
    firstLineExceedsLimit: lines === 0 && maxLines > 0,
  };
}

/**
 * Keeps whole lines from the end, as many as the limits allow. When the last
 * line alone is too big, its end is kept, cut between two characters.
 */
export function truncateTail(
  text: string,
  options: TruncationOptions = {},
): TruncationResult {
  const uncut = measure(text, options);
  if (!uncut.truncated) return uncut;
  const { maxLines, maxBytes } = uncut;
  const body = withoutFinalNewline(text);
  let lines = 0;
  let bytes = 0;
  let start = body.length;
  let end = body.length;
  while (lines < maxLines && end >= 0) {
    // A negative position means 0 to lastIndexOf, which would find a newline there twice.
    const newline = end === 0 ? -1 : body.lastIndexOf("\n", end - 1);
    const separator = lines === 0 ? 0 : 1;
    const room = maxBytes - bytes - separator;
    const cost = boundedByteLength(body, {
      start: newline + 1,
      end,
      bound: room,
    });
    if (cost > room) break;
    bytes += cost + separator;
    lines++;
    start = newline + 1;
    end = newline;
  }
  const partial = lines === 0 && maxLines > 0
    ? endOfLine(body, maxBytes)
    : undefined;
  return {
    ...uncut,
    content: partial ?? body.slice(start),
    truncatedBy: lines >= maxLines ? "lines" : "bytes",
    outputLines: partial === undefined ? lines : 1,
    outputBytes: partial === undefined ? bytes : byteLength(partial),
    lastLinePartial: partial !== undefined,
  };
}

/** Cuts one line to `maxLength` UTF-16 units and says so, never inside a surrogate pair. */
export function truncateLine(
  line: string,
  maxLength = 500,
): { text: string; wasTruncated: boolean } {
  if (line.length <= maxLength) return { text: line, wasTruncated: false };
  const end = isHighSurrogate(line.charCodeAt(maxLength - 1))
    ? maxLength - 1
    : maxLength;
  return { text: line.slice(0, end) + "... [truncated]", wasTruncated: true };
}

/** A number of bytes for people: `512B`, `50.0KB`, `1.5MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)}KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)}MB`;
}

/** The result when nothing needs to be cut; `truncated` says whether that is so. */
function measure(text: string, options: TruncationOptions): TruncationResult {
  const maxLines = options.maxLines ?? DEFAULT_MAX_LINES;
  const maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
  const totalBytes = byteLength(text);
  const totalLines = countLines(text);
  const bodyBytes = text.endsWith("\n") ? totalBytes - 1 : totalBytes;
  return {
    content: text,
    truncated: totalLines > maxLines || bodyBytes > maxBytes,
    truncatedBy: null,
    totalLines,
    totalBytes,
    outputLines: totalLines,
    outputBytes: totalBytes,
    lastLinePartial: false,
    firstLineExceedsLimit: false,
    maxLines,
    maxBytes,
  };
}

function countLines(text: string): number {
  if (text === "") return 0;
  let lines = text.endsWith("\n") ? 0 : 1;
  for (
    let at = text.indexOf("\n");
    at !== -1;
    at = text.indexOf("\n", at + 1)
  ) {
    lines++;
  }
  return lines;
}

function withoutFinalNewline(text: string): string {
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}

/** The longest end of `line` that fits into `maxBytes`. */
function endOfLine(line: string, maxBytes: number): string {
  let bytes = 0;
  let start = line.length;
  while (start > 0) {
    const pair = start > 1 && isLowSurrogate(line.charCodeAt(start - 1)) &&
      isHighSurrogate(line.charCodeAt(start - 2));
    const next = pair ? start - 2 : start - 1;
    bytes += codePointBytes(line.codePointAt(next) ?? 0);
    if (bytes > maxBytes) break;
    start = next;
  }
  return line.slice(start);
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

/** Bytes of a part of a text; stops counting past `bound`, so that a giant line costs little. */
function boundedByteLength(
  text: string,
  part: { start: number; end: number; bound: number },
): number {
  let bytes = 0;
  for (let i = part.start; i < part.end && bytes <= part.bound; i++) {
    const codePoint = text.codePointAt(i) ?? 0;
    bytes += codePointBytes(codePoint);
    if (codePoint > 0xffff) i++;
  }
  return bytes;
}

function codePointBytes(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
