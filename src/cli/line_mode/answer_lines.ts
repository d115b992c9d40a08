import { terminalText } from "../terminal_text.ts";
import { wrapText } from "./text_width.ts";

/** Longest piece of a line that waits for its end. */
const MAX_WAITING = 4096;

/** Makes lines of text that arrives in pieces: each is told as soon as it is full. */
export class AnswerLines {
  readonly #writeLine: (line: string) => void;
  readonly #width: () => number;
  #waiting = "";

  constructor(writeLine: (line: string) => void, width: () => number) {
    this.#writeLine = writeLine;
    this.#width = width;
  }

  push(text: string): void {
    const lines = (this.#waiting + text).split("\n");
    this.#waiting = lines.pop() ?? "";
    for (const line of lines) this.#write(line);
    if (this.#waiting.length < this.#width()) return;
    const wrapped = wrapText(shown(this.#waiting), this.#width());
    // The shown form of a long line is longer than it; it is not looked at again.
    if (wrapped.length === 1 && this.#waiting.length < MAX_WAITING) return;
    this.#waiting = wrapped.pop() ?? "";
    wrapped.forEach(this.#writeLine);
  }

  /** Tells what is left. */
  end(): void {
    if (this.#waiting !== "") this.#write(this.#waiting);
    this.#waiting = "";
  }

  #write(line: string): void {
    wrapText(shown(line), this.#width()).forEach(this.#writeLine);
  }
}

function shown(line: string): string {
  return terminalText(line.replace(/\r$/, "")).replaceAll("\t", "    ");
}
