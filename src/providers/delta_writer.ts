import { ModelError } from "../model/model_error.ts";
import type { AssistantDelta } from "../model/stream.ts";

/** No answer has that many blocks; a server that sends more is broken. */
const MAX_BLOCKS = 4096;

/**
 * Collects the deltas of one network read. Neighbouring deltas of the same
 * block become one, so that a fast stream costs one event a read, not one a
 * token.
 */
export class DeltaWriter {
  #batch: AssistantDelta[] = [];
  #blocks = 0;
  #started = false;

  /** Announces the response; later calls do nothing. */
  start(responseId?: string, responseModel?: string): void {
    if (this.#started) return;
    this.#started = true;
    this.#batch.push({
      type: "start",
      ...(responseId === undefined ? {} : { responseId }),
      ...(responseModel === undefined ? {} : { responseModel }),
    });
  }

  /** The content index of a new block. */
  nextIndex(): number {
    if (this.#blocks >= MAX_BLOCKS) {
      throw new ModelError(
        "refused",
        `The answer has more than ${MAX_BLOCKS} blocks`,
      );
    }
    return this.#blocks++;
  }

  /** Adds a delta; text and arguments that are empty are left out. */
  push(delta: AssistantDelta): void {
    if ("delta" in delta) {
      if (delta.delta === "") return;
      const last = this.#batch.at(-1);
      if (
        last?.type === delta.type && last.contentIndex === delta.contentIndex
      ) {
        last.delta += delta.delta;
        return;
      }
      // A copy, since it may grow here.
      this.#batch.push({ ...delta });
    } else {
      this.#batch.push(delta);
    }
  }

  /** The deltas since the last call. */
  take(): AssistantDelta[] {
    const batch = this.#batch;
    this.#batch = [];
    return batch;
  }
}
