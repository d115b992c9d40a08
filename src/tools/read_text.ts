import { ToolError } from "../agent/tool_error.ts";
import {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  truncateHead,
  type TruncationResult,
} from "../sdk/truncate.ts";
import { byteOrderMark, decodeText, looksBinary } from "./decode_text.ts";
import { withFirst } from "./file_chunks.ts";
import { LineWindow } from "./line_window.ts";

/** In larger files lines are not counted behind those that are shown. */
const MAX_COUNTED_BYTES = 64 * 1024 * 1024;
const HEAD_BYTES = 64 * 1024;

/** Which part of a text is wanted. */
export interface ReadTextOptions {
  /** Bytes that follow the head. */
  rest: AsyncIterable<Uint8Array>;
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
 * Shows lines of a file within the limits, and how to get the rest. `head` is
 * its first chunk, enough to know its kind. Binary files are named instead of
 * shown, UTF-16 is decoded, byte order marks go.
 * Throws a `ToolError` for an offset past the end.
 */
export async function readText(
  head: Uint8Array,
  options: ReadTextOptions,
): Promise<ReadText> {
  const encoding = byteOrderMark(head);
  const isUtf16 = encoding === "utf-16le" || encoding === "utf-16be";
  if (!isUtf16 && looksBinary(head.subarray(0, HEAD_BYTES))) {
    return { text: binarySummary(head, options.size) };
  }
  const offset = Math.max(1, Math.floor(options.offset ?? 1));
  const limit = options.limit === undefined
    ? undefined
    : Math.max(1, Math.floor(options.limit));
  const window = new LineWindow({
    firstLine: offset,
    maxLines: Math.min(limit ?? DEFAULT_MAX_LINES, DEFAULT_MAX_LINES),
    maxBytes: DEFAULT_MAX_BYTES,
  });
  const bytes = withFirst(
    encoding === "utf-8" ? head.subarray(3) : head,
    options.rest,
  );
  const counted = await scan(isUtf16 ? utf8Of(bytes, encoding) : bytes, {
    ...options,
    window,
  });
  return show(window, {
    ...options,
    offset,
    limit,
    counted,
    decodedFrom: isUtf16 ? encoding : undefined,
  });
}

/** Feeds the window; tells whether it saw the end of the file. */
async function scan(
  chunks: AsyncIterable<Uint8Array>,
  { window, size, onProgress }:
    & { window: LineWindow }
    & Pick<ReadTextOptions, "size" | "onProgress">,
): Promise<boolean> {
  let bytes = 0;
  for await (const chunk of chunks) {
    // Those of /proc and some of the network tell no size.
    if (window.full && Math.max(size, bytes) >= MAX_COUNTED_BYTES) return false;
    window.push(chunk);
    bytes += chunk.byteLength;
    onProgress?.(bytes);
  }
  return true;
}

interface ShowOptions {
  path: string;
  size: number;
  offset: number;
  limit: number | undefined;
  /** True when the lines of the window are those of the whole file. */
  counted: boolean;
  decodedFrom: string | undefined;
}

function show(window: LineWindow, options: ShowOptions): ReadText {
  const { offset, limit, counted, decodedFrom } = options;
  if (counted && window.lines === 0 && offset === 1) {
    return { text: emptyNote(options.size) };
  }
  if (counted && offset > window.lines) {
    throw new ToolError(
      `Offset ${offset} is beyond end of file (${window.lines} lines total)`,
    );
  }
  const { text, escaped } = decodeText(window.bytes());
  const { content, totalBytes: _, ...cut } = truncateHead(text);
  const byBytes = window.overflowed || cut.truncated;
  const last = offset + cut.outputLines - 1;
  const moreLines = counted ? window.lines - last : undefined;
  const truncated = byBytes ||
    moreLines !== 0 && (limit === undefined || limit > DEFAULT_MAX_LINES);
  const notes = [
    cut.outputLines === 0
      ? lineTooLong(window, options)
      : moreLines === 0
      ? ""
      : continuation({ first: offset, last, moreLines, truncated, byBytes }),
    decodedFrom ? `[Decoded from ${decodedFrom.toUpperCase()}.]` : "",
    escaped ? "[Bytes that are not UTF-8 text are shown as \\xNN.]" : "",
    cut.outputLines > 0 && !/\S/.test(content)
      ? blankNote(cut.outputLines)
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
      totalLines: Math.min(window.lines - offset + 1, limit ?? Infinity),
      outputBytes: cut.outputBytes - (content.endsWith("\n") ? 1 : 0),
      firstLineExceedsLimit: cut.outputLines === 0,
    };
  }
  return shown;
}

function lineTooLong(
  window: LineWindow,
  { path, offset, counted, decodedFrom }: ShowOptions,
): string {
  const size = `${counted ? "" : "more than "}${
    formatSize(window.firstLineBytes)
  }`;
  const limit = formatSize(DEFAULT_MAX_BYTES);
  const file = shellWord(path);
  // Only bytes of UTF-8 have the lines that sed knows.
  const line = decodedFrom
    ? `iconv -f UTF-16 -t UTF-8 ${file} | sed -n '${offset}p'`
    : `sed -n '${offset}p' ${file}`;
  return `[Line ${offset} is ${size}, exceeds ${limit} limit. ` +
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

function emptyNote(size: number): string {
  return size === 0
    ? "[The file is empty (0 bytes).]"
    : "[The file holds nothing but a byte order mark.]";
}

/** Providers refuse a text of nothing but white space. */
function blankNote(lines: number): string {
  return lines === 1 ? "[1 line, blank.]" : `[${lines} lines, all blank.]`;
}

function binarySummary(head: Uint8Array, size: number): string {
  const kind = binaryKind(head);
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

/** Names the kind of binary file that begins like this; undefined when unknown. */
function binaryKind(head: Uint8Array): string | undefined {
  const start = String.fromCharCode(...head.subarray(0, 16));
  return SIGNATURES.find(([, signature]) => start.startsWith(signature))?.[0];
}
