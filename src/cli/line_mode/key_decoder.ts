/** A key that was pressed, or text that was pasted. */
export type Key =
  /** Typed or pasted. */
  | { text: string }
  | { name: KeyName };

/** Keys that do something else than writing a letter. */
export type KeyName =
  | "enter"
  | "newline"
  | "tab"
  | "backspace"
  | "delete"
  | "left"
  | "right"
  | "up"
  | "down"
  | "home"
  | "end"
  | "word_left"
  | "word_right"
  | "kill_line"
  | "kill_rest"
  | "kill_word"
  | "redraw"
  | "interrupt"
  | "end_of_input";

const CONTROL_KEYS: Record<string, KeyName> = {
  "\r": "enter",
  "\n": "newline",
  "\t": "tab",
  "\x7f": "backspace",
  "\b": "backspace",
  "\x01": "home",
  "\x02": "left",
  "\x03": "interrupt",
  "\x04": "end_of_input",
  "\x05": "end",
  "\x06": "right",
  "\x0b": "kill_rest",
  "\x0c": "redraw",
  "\x0e": "down",
  "\x10": "up",
  "\x15": "kill_line",
  "\x17": "kill_word",
};

/** Behind `ESC [` or `ESC O`, as xterm and its kin send them. */
const SEQUENCE_KEYS: Record<string, KeyName> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  F: "end",
  H: "home",
  "1~": "home",
  "3~": "delete",
  "4~": "end",
  "7~": "home",
  "8~": "end",
  "1;3C": "word_right",
  "1;3D": "word_left",
  "1;5C": "word_right",
  "1;5D": "word_left",
};

/** Behind `ESC` alone: the key with Alt. */
const ALT_KEYS: Record<string, KeyName> = {
  "\r": "newline",
  "\n": "newline",
  "\x7f": "kill_word",
  b: "word_left",
  f: "word_right",
};

// deno-lint-ignore no-control-regex -- what a terminal sends
const SEQUENCE = /^\x1b(?:\[([0-9;?]*[@-~])|O([@-~]))/;
// deno-lint-ignore no-control-regex -- what a terminal sends
const UNFINISHED = /^\x1b(?:\[[0-9;?]{0,32}|O)?$/;
// deno-lint-ignore no-control-regex -- what no key with Alt is
const BARE_ESCAPE = /^\x1b(?=[\x00-\x1f\x7f])/;
// deno-lint-ignore no-control-regex -- what no letter is
const LETTERS = /^[^\x00-\x1f\x7f]+/;
const PASTE_START = "200~";
const PASTE_END = "\x1b[201~";

/** Makes keys of what a terminal in raw mode sends, however it is cut into pieces. */
export class KeyDecoder {
  readonly #decoder = new TextDecoder();
  #rest = "";
  #isPasting = false;
  /** The paste so far ends with a carriage return. */
  #endsInReturn = false;

  push(bytes: Uint8Array): Key[] {
    this.#rest += this.#decoder.decode(bytes, { stream: true });
    const keys: Key[] = [];
    while (this.#rest !== "") {
      const key = this.#isPasting ? this.#pasted() : this.#next();
      if (key === "wait") break;
      if (key) keys.push(key);
    }
    return keys;
  }

  /** Undefined for what means nothing here. */
  #next(): Key | "wait" | undefined {
    const letters = LETTERS.exec(this.#rest)?.[0];
    if (letters !== undefined) return { text: this.#take(letters.length) };
    if (!this.#rest.startsWith("\x1b")) {
      return keyOf(CONTROL_KEYS[this.#take(1)]);
    }
    const [sequence, bracket, letter] = SEQUENCE.exec(this.#rest) ?? [];
    if (sequence !== undefined) {
      this.#take(sequence.length);
      this.#isPasting = bracket === PASTE_START;
      this.#endsInReturn = false;
      return keyOf(SEQUENCE_KEYS[bracket ?? letter ?? ""]);
    }
    if (UNFINISHED.test(this.#rest)) return "wait";
    const [pressed = ""] = this.#rest.slice(1);
    const alt = ALT_KEYS[pressed];
    // Escape alone means nothing; the key behind it does.
    if (alt === undefined && BARE_ESCAPE.test(this.#rest)) {
      this.#take(1);
      return undefined;
    }
    this.#take(1 + pressed.length);
    return keyOf(alt);
  }

  #pasted(): Key | "wait" {
    const end = this.#rest.indexOf(PASTE_END);
    if (end === -1) {
      // The end mark may be cut in two.
      const safe = this.#rest.length - (PASTE_END.length - 1);
      return safe > 0 ? this.#pastedText(safe) : "wait";
    }
    const key = this.#pastedText(end);
    this.#take(PASTE_END.length);
    this.#isPasting = false;
    return key;
  }

  /** Terminals paste the end of a line as a carriage return; a CRLF may be cut in two. */
  #pastedText(length: number): Key {
    const raw = this.#take(length);
    const text = this.#endsInReturn && raw.startsWith("\n")
      ? raw.slice(1)
      : raw;
    if (raw !== "") this.#endsInReturn = raw.endsWith("\r");
    return { text: text.replace(/\r\n?/g, "\n") };
  }

  #take(length: number): string {
    const taken = this.#rest.slice(0, length);
    this.#rest = this.#rest.slice(length);
    return taken;
  }
}

function keyOf(name: KeyName | undefined): Key | undefined {
  return name && { name };
}
