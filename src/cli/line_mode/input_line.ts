import type { Key } from "./key_decoder.ts";

/** Characters that an input may have; what is pasted beyond is dropped. */
const MAX_LENGTH = 1024 * 1024;

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The characters of a text as people count them. */
export function graphemesOf(text: string): string[] {
  return Array.from(eachGrapheme(text));
}

/** The same, one after the other. */
export function* eachGrapheme(text: string): Generator<string> {
  for (const { segment } of graphemes.segment(text)) yield segment;
}

/** A text that is being typed: what is before the cursor and behind it, and the texts of before. */
export class InputLine {
  #before = "";
  #after = "";
  readonly #history: string[];
  /** Place in the history; its length for what is new. */
  #at: number;
  /** Text that was being typed when the history was opened. */
  #draft = "";

  constructor(history: readonly string[] = []) {
    this.#history = history.slice();
    this.#at = this.#history.length;
  }

  get before(): string {
    return this.#before;
  }

  get after(): string {
    return this.#after;
  }

  get text(): string {
    return this.#before + this.#after;
  }

  /** Puts a text in its place, with the cursor behind it. */
  set(text: string): void {
    this.#before = text;
    this.#after = "";
  }

  /** Empties it and returns what it was. */
  take(): string {
    const { text } = this;
    this.set("");
    this.#at = this.#history.length;
    return text;
  }

  /** Adds a text to those that can be had again. */
  remember(text: string): void {
    if (this.#history.at(-1) !== text) this.#history.push(text);
    this.#at = this.#history.length;
  }

  /** Does what a key does to a text; all other keys are the caller's. */
  edit(key: Key): void {
    if ("text" in key) return this.#insert(key.text);
    switch (key.name) {
      case "newline":
        return this.#insert("\n");
      case "backspace":
        this.#before = this.#before.slice(
          0,
          this.#before.length - lastLength(this.#before),
        );
        break;
      case "delete":
        this.#after = this.#after.slice(firstLength(this.#after));
        break;
      case "left":
        return this.#move(-lastLength(this.#before));
      case "right":
        return this.#move(firstLength(this.#after));
      case "word_left":
        return this.#move(-lastWordLength(this.#before));
      case "word_right":
        return this.#move(/^\s*\S*/u.exec(this.#after)?.[0].length ?? 0);
      case "home":
        return this.#move(-this.#before.length);
      case "end":
        return this.#move(this.#after.length);
      case "kill_line":
        this.#before = "";
        break;
      case "kill_rest":
        this.#after = "";
        break;
      case "kill_word":
        this.#before = this.#before.slice(
          0,
          this.#before.length - lastWordLength(this.#before),
        );
        break;
      case "up":
        return this.#recall(this.#at - 1);
      case "down":
        return this.#recall(this.#at + 1);
    }
  }

  #insert(text: string): void {
    const room = MAX_LENGTH - this.text.length;
    this.#before += text.slice(0, Math.max(0, room));
  }

  #move(by: number): void {
    const { text } = this;
    const at = this.#before.length + by;
    this.#before = text.slice(0, at);
    this.#after = text.slice(at);
  }

  #recall(at: number): void {
    if (at < 0 || at > this.#history.length) return;
    if (this.#at === this.#history.length) this.#draft = this.text;
    this.#at = at;
    this.set(this.#history[at] ?? this.#draft);
  }
}

/** Length of the last word and the spaces behind it. */
function lastWordLength(text: string): number {
  const word = text.trimEnd();
  let start = word.length;
  while (start > 0 && !/\s/.test(word[start - 1] ?? "")) start--;
  return text.length - start;
}

function lastLength(text: string): number {
  // Long enough for what people take for one character.
  const end = text.slice(-64);
  return graphemesOf(end).at(-1)?.length ?? 0;
}

function firstLength(text: string): number {
  return graphemesOf(text.slice(0, 64))[0]?.length ?? 0;
}
