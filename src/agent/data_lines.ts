import { proxyFault } from "./proxy_error.ts";

/** A picture or a long file in one piece fits. */
const MAX_LINE_CHARACTERS = 32 * 1024 * 1024;

/** Finds the JSON that follows `data:` in the lines of a response, wherever its bytes were cut. */
export class DataLines {
  readonly #decoder = new TextDecoder();
  /** The line that is not complete, in the pieces that arrived. */
  #parts: string[] = [];
  #length = 0;

  /** The data of the lines that are complete with these bytes. Throws a `ModelError` for a line without end. */
  feed(bytes: Uint8Array): string[] {
    return this.#cut(this.#decoder.decode(bytes, { stream: true }));
  }

  /** The data of a last line without a line break. */
  end(): string[] {
    return this.#cut(`${this.#decoder.decode()}\n`);
  }

  #cut(text: string): string[] {
    const lines = text.split("\n");
    const rest = lines.pop() as string;
    if (lines.length > 0) {
      lines[0] = this.#parts.join("") + lines[0];
      this.#parts = [];
      this.#length = 0;
    }
    this.#parts.push(rest);
    this.#length += rest.length;
    if (this.#length > MAX_LINE_CHARACTERS) {
      throw proxyFault("refused", "sent an event that is too large");
    }
    return lines
      .filter((line) => line.startsWith("data:"))
      // With the space before it and the CR of a CRLF: JSON does not mind.
      .map((line) => line.slice("data:".length));
  }
}
