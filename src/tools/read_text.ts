import { ToolError } from "../agent/tool_error.ts";
import {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  truncateHead,
  type TruncationResult,
} from "../sdk/truncate.ts";
import { byteOrderMark, decodeText, looksBinary } from "./decode_text.ts";

/** In larger files lines are not counted behind those that are shown. */
const MAX_COUNTED_BYTES = 64 * 1024 * 1024;
const HEAD_BYTES = 64 * 1024;
const NEWLINE = 10;

/** Settings for showing a part of a text. */
export interface ReadTextOptions {
  /** The first bytes of the file, enough to know its kind. */
  head: Uint8Array;
  /** As a shell in the working folder would name the file, for the way to read on. */
  path: string;
  /** Size of the file, for the summary of a binary one. */
  size: number;
  /** First line, counted from 1. Default 1. */
  offset?: number | undefined;
  /** Number of lines. Default: as many as the limits allow. */
  limit?: number | undefined;
  /** Called after each chunk with the bytes so far. */
  onProgress?: (bytes: number) => void;
}

/** Facts about a cut; without the text, which a session would store twice, and the size of what was not read. */
export type Truncation = Omit<TruncationResult, "content" | "totalBytes">;

/** A text as the model sees it. */
export interface ReadText {
  /** Never empty. */
  text: string;
  /** Facts about the cut, when something was cut. */
  truncation?: Truncation;
}

/**
 * Shows lines of a file within the limits, and how to get the rest. Binary
 * files are named instead of shown, UTF-16 is decoded, byte order marks go.
 * Throws a `ToolError` for an offset past the end.
 */
export async function readText(
  bytes: AsyncIterable<Uint8Array>,
  options: ReadTextOptions,
): Promise<ReadText> {
  const { head, limit: wanted = Infinity } = options;
  const encoding = byteOrderMark(head);
  const isUtf16 = encoding === "utf-16le" || encoding === "utf-16be";
  if (!isUtf16 && looksBinary(head.subarray(0, HEAD_BYTES))) {
    return { text: binarySummary(head, options.size) };
  }
  const offset = Math.max(1, Math.floor(options.offset ?? 1));
  const limit = Math.max(1, Math.floor(wanted));
  const window = await readWindow(isUtf16 ? utf8Of(bytes, encoding) : bytes, {
    ...options,
    firstLine: offset,
    maxLines: Math.min(limit, DEFAULT_MAX_LINES),
  });
  const decodedFrom = isUtf16 ? encoding.toUpperCase() : undefined;
  return show(window, { ...options, offset, limit, decodedFrom });
}

/** Lines of a file, as bytes. */
interface Window {
  /** Whole lines only where they overflow, none if not even one fits. */
  bytes: Uint8Array;
  /** There are more bytes of these lines than are kept. */
  overflows: boolean;
  /** Size of the first line, without its newline. */
  firstLineBytes: number;
  /** Lines that were read; a final newline does not begin another. */
  lines: number;
  /** True when these are all lines of the file. */
  counted: boolean;
}

/**
 * Reads a window of lines and counts the others. Works on bytes, since decoding
 * what is only counted would cost more than reading it. A mark of UTF-8 at the
 * start is left out. Chunks may be filled anew for the next.
 */
export async function readWindow(
  chunks: AsyncIterable<Uint8Array>,
  { firstLine, maxLines, maxBytes = DEFAULT_MAX_BYTES, size, onProgress }:
    & { firstLine: number; maxLines: number; maxBytes?: number }
    & Pick<ReadTextOptions, "size" | "onProgress">,
): Promise<Window> {
  // Two bytes more than the limit: a newline that does not count, and one that tells that there is more.
  const kept = new Uint8Array(maxBytes + 2);
  let keptBytes = 0;
  let bytes = 0;
  let line = 1;
  let lineBytes = 0;
  let firstLineBytes = 0;
  const overflows = () =>
    keptBytes - (kept[keptBytes - 1] === NEWLINE ? 1 : 0) > maxBytes;
  const window = (counted: boolean): Window => ({
    // The limit may fall right behind a whole line.
    bytes: kept.subarray(
      0,
      overflows() ? kept.lastIndexOf(NEWLINE, maxBytes) + 1 : keptBytes,
    ),
    overflows: overflows(),
    firstLineBytes,
    lines: lineBytes > 0 ? line : line - 1,
    counted,
  });
  for await (const chunk of chunks) {
    const isFull = overflows() || line >= firstLine + maxLines;
    // Those of /proc and some of the network tell no size.
    if (isFull && Math.max(size, bytes) >= MAX_COUNTED_BYTES) {
      return window(false);
    }
    let start = bytes === 0 && byteOrderMark(chunk) === "utf-8" ? 3 : 0;
    while (start < chunk.byteLength) {
      const newline = chunk.indexOf(NEWLINE, start);
      const end = newline === -1 ? chunk.byteLength : newline + 1;
      if (line >= firstLine && line < firstLine + maxLines) {
        const room = kept.byteLength - keptBytes;
        const part = chunk.subarray(start, Math.min(end, start + room));
        kept.set(part, keptBytes);
        keptBytes += part.byteLength;
      }
      lineBytes += end - start;
      if (line === firstLine) {
        firstLineBytes = lineBytes - (newline === -1 ? 0 : 1);
      }
      if (newline !== -1) {
        line++;
        lineBytes = 0;
      }
      start = end;
    }
    bytes += chunk.byteLength;
    onProgress?.(bytes);
  }
  return window(true);
}

interface ShowOptions {
  path: string;
  size: number;
  offset: number;
  /** Infinite where none was given. */
  limit: number;
  decodedFrom: string | undefined;
}

function show(window: Window, options: ShowOptions): ReadText {
  const { offset, limit, decodedFrom } = options;
  const { lines, counted } = window;
  if (counted && lines === 0 && offset === 1) {
    return {
      text: options.size === 0
        ? "[The file is empty (0 bytes).]"
        : "[The file holds nothing but a byte order mark.]",
    };
  }
  if (counted && offset > lines) {
    throw new ToolError(
      `Offset ${offset} is beyond end of file (${lines} lines total)`,
    );
  }
  const { text, escaped } = decodeText(window.bytes);
  const { content, totalBytes: _, ...cut } = truncateHead(text);
  const byBytes = window.overflows || cut.truncated;
  const last = offset + cut.outputLines - 1;
  const moreLines = counted ? lines - last : undefined;
  const truncated = byBytes || moreLines !== 0 && limit > DEFAULT_MAX_LINES;
  const notes = [
    cut.outputLines === 0
      ? lineTooLong(window, options)
      : moreLines === 0
      ? ""
      : continuation({ first: offset, last, moreLines, truncated, byBytes }),
    decodedFrom ? `[Decoded from ${decodedFrom}.]` : "",
    escaped ? "[Bytes that are not UTF-8 text are shown as \\xNN.]" : "",
    cut.outputLines > 0 && !/\S/.test(content)
      // Providers refuse a text of nothing but white space.
      ? cut.outputLines === 1
        ? "[1 line, blank.]"
        : `[${cut.outputLines} lines, all blank.]`
      : "",
  ].filter((note) => note !== "").join("\n");
  const shown: ReadText = { text: notes };
  if (cut.outputLines > 0) {
    shown.text = notes === ""
      ? content
      : `${content.replace(/\n$/, "")}\n\n${notes}`;
  }
  if (truncated) {
    shown.truncation = {
      ...cut,
      truncated,
      truncatedBy: byBytes ? "bytes" : "lines",
      totalLines: Math.min(lines - offset + 1, limit),
      outputBytes: cut.outputBytes - (content.endsWith("\n") ? 1 : 0),
      firstLineExceedsLimit: cut.outputLines === 0,
    };
  }
  return shown;
}

function lineTooLong(
  { counted, firstLineBytes }: Window,
  { path, offset, decodedFrom }: ShowOptions,
): string {
  const atLeast = counted ? "" : "more than ";
  const limit = formatSize(DEFAULT_MAX_BYTES);
  const file = shellWord(path);
  // Only bytes of UTF-8 have the lines that sed knows.
  const line = decodedFrom
    ? `iconv -f UTF-16 -t UTF-8 ${file} | sed -n '${offset}p'`
    : `sed -n '${offset}p' ${file}`;
  return `[Line ${offset} is ${atLeast}${
    formatSize(firstLineBytes)
  }, exceeds ${limit} limit. ` +
    `Use bash: ${line} | head -c ${DEFAULT_MAX_BYTES}]`;
}

/** Says how to get at the lines that are not shown; `moreLines` is undefined when nobody counted them. */
function continuation(
  { first, last, moreLines, truncated, byBytes }: {
    first: number;
    last: number;
    moreLines: number | undefined;
    truncated: boolean;
    byBytes: boolean;
  },
): string {
  const next = `Use offset=${last + 1} to continue.`;
  if (!truncated) {
    const more = moreLines === undefined ? "More" : `${moreLines} more`;
    return `[${more} lines in file. ${next}]`;
  }
  const total = moreLines === undefined ? "" : ` of ${last + moreLines}`;
  const limit = byBytes ? ` (${formatSize(DEFAULT_MAX_BYTES)} limit)` : "";
  return `[Showing lines ${first}-${last}${total}${limit}. ${next}]`;
}

function binarySummary(head: Uint8Array, size: number): string {
  const start = String.fromCharCode(...head.subarray(0, 16));
  const [kind] =
    SIGNATURES.find(([, signature]) => start.startsWith(signature)) ?? [];
  const bytes = formatSize(size > 0 ? size : head.byteLength);
  const named = kind ? `Binary file (${kind})` : "Binary file";
  return `[${named}, ${bytes}: not shown as text.]`;
}

/** A path as one word of a shell command. */
function shellWord(path: string): string {
  const plain = path.startsWith("-") ? `./${path}` : path;
  return /^[\w./@%+=:,-]+$/.test(plain)
    ? plain
    : `'${plain.replaceAll("'", "'\\''")}'`;
}

async function* utf8Of(
  chunks: AsyncIterable<Uint8Array>,
  encoding: "utf-16le" | "utf-16be",
): AsyncGenerator<Uint8Array, void> {
  const decoder = new TextDecoder(encoding);
  const encoder = new TextEncoder();
  // Halves of pairs are the one thing that UTF-16 text can have wrong.
  const encode = (text: string) =>
    encoder.encode(text.replaceAll("\ufffd", "\\ufffd"));
  for await (const chunk of chunks) {
    yield encode(decoder.decode(chunk, { stream: true }));
  }
  yield encode(decoder.decode());
}

/** How binary files of some kinds begin. */
const SIGNATURES: readonly (readonly [kind: string, start: string])[] = [
  ["ELF program", "\x7fELF"],
  ["ZIP archive", "PK\x03\x04"],
  ["gzip data", "\x1f\x8b"],
  ["bzip2 data", "BZh"],
  ["xz data", "\xfd7zXZ\x00"],
  ["Zstandard data", "\x28\xb5\x2f\xfd"],
  ["7-Zip archive", "7z\xbc\xaf\x27\x1c"],
  ["PDF document", "%PDF-"],
  ["SQLite database", "SQLite format 3\x00"],
  ["WebAssembly module", "\x00asm"],
  ["Java class or Mach-O program", "\xca\xfe\xba\xbe"],
  ["Mach-O program", "\xcf\xfa\xed\xfe"],
  ["Windows program", "MZ"],
  ["BMP image", "BM"],
  ["TIFF image", "II*\x00"],
  ["TIFF image", "MM\x00*"],
  ["Ogg data", "OggS"],
  ["UTF-32 text", "\xff\xfe\x00\x00"],
];
