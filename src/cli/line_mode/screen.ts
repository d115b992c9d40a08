import type { OutputWriter } from "../output_writer.ts";
import { terminalText } from "../terminal_text.ts";
import { graphemesOf, type InputLine } from "./input_line.ts";
import { textWidth } from "./text_width.ts";

const CLEAR_ROW = "\r\x1b[K";
const PASTE_MARKS_ON = "\x1b[?2004h";
const PASTE_MARKS_OFF = "\x1b[?2004l";
/** Lines are not broken into shorter pieces; the terminal wraps them. */
const NARROWEST = 20;

/**
 * The terminal as lines that scroll and, below them, one row with what is
 * being typed. It moves nothing but that row.
 */
export class Screen {
  readonly #output: OutputWriter;
  readonly #input: InputLine;
  readonly #columns: () => number;
  #prompt = "> ";
  #isOpen = false;

  constructor(
    output: OutputWriter,
    { input, columns }: { input: InputLine; columns(): number },
  ) {
    this.#output = output;
    this.#input = input;
    this.#columns = columns;
  }

  /** Columns of a line. */
  get width(): number {
    return Math.max(NARROWEST, this.#columns());
  }

  /** Text before the one that is typed. Safe for a terminal. */
  set prompt(prompt: string) {
    if (prompt === this.#prompt) return;
    this.#prompt = prompt;
    this.draw();
  }

  /** Shows the input row. */
  open(): void {
    this.#isOpen = true;
    this.#output.write(PASTE_MARKS_ON + this.#row());
  }

  /** Writes lines above the input row. They are safe for a terminal. */
  print(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const text = `${lines.join("\r\n")}\r\n`;
    this.#output.write(
      this.#isOpen ? CLEAR_ROW + text + this.#row() : text,
    );
  }

  /** Draws the input row anew. */
  draw(): void {
    if (this.#isOpen) this.#output.write(this.#row());
  }

  /** Takes the input row away. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#output.write(CLEAR_ROW + PASTE_MARKS_OFF);
  }

  /** Fits one row of the terminal, however narrow: what wraps could not be taken away. */
  #row(): string {
    const columns = Math.max(1, this.#columns());
    const hasRoom = columns > textWidth(this.#prompt) + 2;
    const prompt = hasRoom ? this.#prompt : "";
    const promptWidth = textWidth(prompt);
    const room = Math.max(0, columns - promptWidth - 1);
    const { text, cursor } = windowOf(this.#input, room);
    const column = promptWidth + cursor;
    const move = column > 0 ? `\r\x1b[${column}C` : "\r";
    return CLEAR_ROW + prompt + text + move;
  }
}

/** The part of the input around the cursor that fits, and the cursor's column in it. */
function windowOf(
  { before, after }: InputLine,
  room: number,
): { text: string; cursor: number } {
  let left = "";
  let cursor = 0;
  const end = room === 0 ? "" : before.slice(-room * 8);
  const pieces = graphemesOf(end).reverse().map(oneRow);
  for (const piece of pieces) {
    const width = textWidth(piece);
    if (cursor + width > room) break;
    left = piece + left;
    cursor += width;
  }
  let right = "";
  let used = cursor;
  for (const piece of graphemesOf(after.slice(0, room * 8)).map(oneRow)) {
    used += textWidth(piece);
    if (used > room) break;
    right += piece;
  }
  return { text: left + right, cursor };
}

function oneRow(grapheme: string): string {
  return terminalText(grapheme).replaceAll("\n", "⏎").replaceAll("\t", " ");
}
