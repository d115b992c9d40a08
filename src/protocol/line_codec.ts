/** One line that arrived: a message, or something that was printed in between. */
export type ProtocolLine =
  | { kind: "message"; value: unknown }
  | { kind: "foreign"; text: string };

/** A side sent more than the other is ready to hold. */
export class LineTooLongError extends Error {
  override name = "LineTooLongError";
}

/** One message as a line: the run's token, a space, JSON. */
export function encodeLine(token: string, message: unknown): string {
  return `${token} ${JSON.stringify(message)}\n`;
}

/** Most bytes of one message: two images of the largest size that providers take, in base64, and then some. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** Foreign text without a line break is passed on in pieces of this size. */
const MAX_FOREIGN_BYTES = 64 * 1024;
const LINE_BREAK = 10;
const LATIN1 = new TextDecoder("latin1");

/**
 * Cuts bytes into lines and tells messages from everything else that ended up
 * on the same pipe, such as a plugin's print without a line break.
 *
 * The token prevents accidents; it is no boundary.
 */
export class LineDecoder {
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder();
  #token: string | undefined;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  /** True once the unfinished line is known to hold a message. */
  #isMessage = false;

  /** Without a token, the first line says what it is. */
  constructor(token?: string, { maxBytes = MAX_LINE_BYTES } = {}) {
    this.#token = token;
    this.#maxBytes = maxBytes;
  }

  /** The token, once it is known. */
  get token(): string | undefined {
    return this.#token;
  }

  /** The lines that `chunk` completes. Throws {@linkcode LineTooLongError}. The chunk may be reused afterwards. */
  push(chunk: Uint8Array): ProtocolLine[] {
    const lines: ProtocolLine[] = [];
    let from = 0;
    for (
      let to = chunk.indexOf(LINE_BREAK);
      to !== -1;
      to = chunk.indexOf(LINE_BREAK, from)
    ) {
      lines.push(...this.#end(chunk.subarray(from, to)));
      from = to + 1;
    }
    if (from < chunk.length) this.#keep(lines, chunk.slice(from));
    return lines;
  }

  /** Returns the rest when the pipe has ended; half a message is dropped. */
  finish(): ProtocolLine[] {
    const lines = this.#bytes > 0 ? this.#end(new Uint8Array()) : [];
    return lines.filter((line) =>
      line.kind === "message" || !line.text.startsWith(`${this.#token} `)
    );
  }

  /** Reads a line that ends with some bytes. */
  #end(end: Uint8Array): ProtocolLine[] {
    let text = "";
    for (const part of this.#parts) {
      text += this.#decoder.decode(part, { stream: true });
    }
    text += this.#decoder.decode(end);
    this.#parts = [];
    this.#bytes = 0;
    this.#isMessage = false;
    this.#token ??= text.slice(0, text.indexOf(" "));
    const at = text.indexOf(`${this.#token} `);
    if (at === -1) return foreign(text);
    const json = text.slice(at + this.#token.length + 1);
    try {
      const value = JSON.parse(json);
      return [...foreign(text.slice(0, at)), { kind: "message", value }];
    } catch {
      return [...foreign(text.slice(0, at)), ...foreign(text.slice(at))];
    }
  }

  #keep(lines: ProtocolLine[], part: Uint8Array): void {
    this.#parts.push(part);
    this.#bytes += part.length;
    if (this.#bytes > MAX_FOREIGN_BYTES && !this.#isMessage) {
      this.#passOn(lines);
    }
    if (this.#bytes > this.#maxBytes) {
      throw new LineTooLongError(
        `a line is longer than ${this.#maxBytes} bytes`,
      );
    }
  }

  /** Passes on what stands before a message, or all but what may be the beginning of one. */
  #passOn(lines: ProtocolLine[]): void {
    if (this.#token === undefined) return;
    const bytes = joined(this.#parts);
    // One byte a character, so that places in the text are places in the bytes.
    const at = LATIN1.decode(bytes).indexOf(this.#token);
    this.#isMessage = at !== -1;
    let end = this.#isMessage ? at : bytes.length - this.#token.length;
    // A character has no more than three bytes behind its first.
    for (let i = 0; i < 3 && isInsideCharacter(bytes, end); i++) end--;
    this.#parts = [bytes.subarray(end)];
    this.#bytes = bytes.length - end;
    lines.push(...foreign(this.#decoder.decode(bytes.subarray(0, end))));
  }
}

function foreign(text: string): ProtocolLine[] {
  return text === "" ? [] : [{ kind: "foreign", text }];
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** True in front of a byte that continues a UTF-8 character. */
function isInsideCharacter(bytes: Uint8Array, at: number): boolean {
  return at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80;
}
