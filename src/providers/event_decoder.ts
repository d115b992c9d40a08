import { createParser } from "eventsource-parser";
import type { ModelError } from "../model/model_error.ts";

/** Characters of one event: a picture or a long file in one piece fits. */
const MAX_EVENT_CHARS = 32 * 1024 * 1024;
/** Characters that are kept of a document that is no event stream. */
const MAX_DOCUMENT_CHARS = 64 * 1024;

/** Decodes the bytes of an event stream, wherever they were cut. */
export class EventDecoder {
  /** The beginning of JSON or of a web page, where that came in place of events, whatever its headers are. */
  document = "";
  #decoder = new TextDecoder();
  #events: string[] = [];
  #hasBegun = false;
  #tooLarge = false;
  #failure: () => ModelError;
  #parser = createParser({
    maxBufferSize: MAX_EVENT_CHARS,
    onEvent: (event) => this.#events.push(event.data),
    onError: (error) => {
      this.#tooLarge ||= error.type === "max-buffer-size-exceeded";
    },
  });

  /** `tooLarge` makes the error that is thrown at an event without end. */
  constructor(tooLarge: () => ModelError) {
    this.#failure = tooLarge;
  }

  /** The `data` of the events that are complete with this piece. */
  feed(bytes: Uint8Array): string[] {
    return this.#parse(this.#decoder.decode(bytes, { stream: true }));
  }

  /** The last events. Some servers leave out the empty line after them. */
  end(): string[] {
    return this.#parse(this.#decoder.decode() + "\n\n");
  }

  #parse(text: string): string[] {
    this.#events = [];
    if (this.document !== "" || (!this.#hasBegun && /^\s*[{[<]/.test(text))) {
      const room = MAX_DOCUMENT_CHARS - this.document.length;
      this.document += text.slice(0, room);
      return [];
    }
    this.#hasBegun ||= text.trim() !== "";
    this.#parser.feed(text);
    if (this.#tooLarge) throw this.#failure();
    return this.#events;
  }
}
