/**
 * Decodes UTF-8 without loss: bytes that are none, and NUL, become `\xNN`
 * instead of replacement characters; `escaped` says that there were some.
 */
export function decodeText(
  bytes: Uint8Array,
): { text: string; escaped: boolean } {
  try {
    const options = { fatal: true, ignoreBOM: true };
    const text = new TextDecoder("utf-8", options).decode(bytes);
    if (!text.includes("\0")) return { text, escaped: false };
  } catch {
    // Not valid: below, part by part.
  }
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = "";
  let start = 0;
  for (let i = 0; i < bytes.byteLength;) {
    const length = bytes[i] === 0 ? 0 : sequenceLength(bytes, i);
    if (length > 0) {
      i += length;
      continue;
    }
    const escape = `\\x${(bytes[i] ?? 0).toString(16).padStart(2, "0")}`;
    text += decoder.decode(bytes.subarray(start, i)) + escape;
    i++;
    start = i;
  }
  return { text: text + decoder.decode(bytes.subarray(start)), escaped: true };
}

/** True when the start of a file is that of a binary one: a NUL, or much that is neither UTF-8 nor printed. */
export function looksBinary(head: Uint8Array): boolean {
  if (head.includes(0)) return true;
  let strange = 0;
  for (let i = 0; i < head.byteLength;) {
    const length = sequenceLength(head, i);
    // The last character of the head may be cut.
    if (length === 0 && i + 4 > head.byteLength) break;
    if (length === 0 || length === 1 && isStrangeControl(head[i] ?? 0)) {
      strange++;
    }
    i += Math.max(length, 1);
  }
  return strange * 5 > head.byteLength;
}

/** The encoding that a byte order mark at the start names. */
export function byteOrderMark(
  head: Uint8Array,
): "utf-8" | "utf-16le" | "utf-16be" | undefined {
  const [a, b, c, d] = head;
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  // FF FE 00 00 is UTF-32, which nobody writes and no decoder knows.
  if (a === 0xff && b === 0xfe && !(c === 0 && d === 0)) return "utf-16le";
  return undefined;
}

function isStrangeControl(byte: number): boolean {
  // Backspace to carriage return, and ESC, occur in text and logs.
  return byte < 8 || byte > 13 && byte < 32 && byte !== 27 || byte === 127;
}

/** Length of the UTF-8 sequence at a place; 0 where there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (let i = 1; i < length; i++) {
    const [low, high] = i === 1 ? secondByteRange(first) : [0x80, 0xbf];
    const byte = bytes[at + i] ?? 0;
    if (byte < low || byte > high) return 0;
  }
  return length;
}

/** Excludes overlong forms, surrogates and what lies past U+10FFFF. */
function secondByteRange(first: number): readonly [number, number] {
  if (first === 0xe0) return [0xa0, 0xbf];
  if (first === 0xed) return [0x80, 0x9f];
  if (first === 0xf0) return [0x90, 0xbf];
  return first === 0xf4 ? [0x80, 0x8f] : [0x80, 0xbf];
}
