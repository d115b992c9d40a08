import type { PromptSource } from "../read_prompt.ts";

/** One line of stdin: an object, or why it is none. */
export type CommandLine =
  | { command: Record<string, unknown> }
  | { problem: string };

const READ_BYTES = 64 * 1024;
/** Images travel in lines, and four of the largest fit. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** The lines of stdin, empty ones left out. One that is too long is skipped to its end. */
export async function* readCommandLines(
  stdin: Pick<PromptSource, "read">,
  { maxLineBytes = MAX_LINE_BYTES } = {},
): AsyncGenerator<CommandLine> {
  const buffer = new Uint8Array(READ_BYTES);
  let pieces: Uint8Array[] = [];
  let length = 0;
  const take = (): CommandLine | undefined => {
    const line = length > maxLineBytes
      ? { problem: `the line is longer than ${maxLineBytes} bytes` }
      : parse(joined(pieces, length));
    pieces = [];
    length = 0;
    return line;
  };
  while (true) {
    const count = await stdin.read(buffer);
    let start = 0;
    while (count !== null) {
      const end = buffer.subarray(0, count).indexOf(0x0a, start);
      const piece = buffer.slice(start, end === -1 ? count : end);
      length += piece.length;
      if (length <= maxLineBytes) pieces.push(piece);
      else pieces = [];
      if (end === -1) break;
      start = end + 1;
      const line = take();
      if (line) yield line;
    }
    if (count !== null) continue;
    const last = take();
    if (last) yield last;
    return;
  }
}

function joined(pieces: readonly Uint8Array[], length: number): string {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return new TextDecoder().decode(bytes);
}

function parse(text: string): CommandLine | undefined {
  if (text.trim() === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? { command: value as Record<string, unknown> }
      : { problem: "expected an object" };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
