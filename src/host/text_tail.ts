/** The end of a text that may be long. */
export class TextTail {
  readonly #maxLength: number;
  #text = "";

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  add(text: string): void {
    this.#text = (this.#text + text).slice(-this.#maxLength);
  }

  get text(): string {
    return this.#text;
  }
}
