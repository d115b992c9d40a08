import type { Console } from "../console.ts";
import { wrapText } from "../line_mode/text_width.ts";

/** The demo's output on stdout: lines no wider than the terminal, broken between words. */
export class DemoPage {
  readonly render: { width: number; color: boolean };
  readonly #console: Console;

  constructor(console: Console) {
    this.#console = console;
    this.render = console.renderingFor("stdout");
  }

  heading(text: string): void {
    for (const line of wrapText(text, this.render.width)) {
      this.#write(this.render.color ? `\x1b[1m${line}\x1b[22m` : line);
    }
  }

  /** Prints text that is safe for a terminal. Lines with styles are left to the terminal: their length is not their width. */
  print(text: string, indent = ""): void {
    for (const line of text.split("\n")) {
      const lines = line.includes("\x1b")
        ? [line]
        : wrapText(line, this.render.width - indent.length);
      for (const one of lines) this.#write(one === "" ? "" : indent + one);
    }
  }

  #write(line: string): void {
    this.#console.stdout.write(`${line}\n`);
  }
}
