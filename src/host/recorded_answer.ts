import type { AssistantDelta } from "../model/stream.ts";
import { mapStrings } from "./recording/canonical_request.ts";

/** Characters of one delta, so that a replay streams as a provider does. */
const PIECE_LENGTH = 24;

/** Puts the deltas of one answer together: one for each block, right behind its start. */
export class AnswerCollector {
  readonly #deltas: AssistantDelta[] = [];
  readonly #growing = new Map<number, { delta: string }>();

  add(delta: AssistantDelta): void {
    if (!("delta" in delta)) {
      this.#deltas.push(delta);
      if ("contentIndex" in delta) this.#growing.delete(delta.contentIndex);
      return;
    }
    const growing = this.#growing.get(delta.contentIndex);
    if (growing) {
      growing.delta += delta.delta;
      return;
    }
    // A copy, since it may grow here.
    const first = { ...delta };
    this.#growing.set(delta.contentIndex, first);
    this.#deltas.push(first);
  }

  get deltas(): readonly AssistantDelta[] {
    return this.#deltas;
  }
}

/** An answer with all that it says replaced by `map`; ids and costs stay. */
export function mapAnswer(
  deltas: readonly AssistantDelta[],
  map: (text: string) => string,
): AssistantDelta[] {
  return deltas.map((delta) => {
    switch (delta.type) {
      case "text_delta":
      case "thinking_delta":
        return { ...delta, delta: map(delta.delta) };
      case "toolcall_delta":
        return { ...delta, delta: mapJson(delta.delta, map) };
      case "text_end":
      case "thinking_end": {
        const { contentSignature: signature } = delta;
        // One that is JSON says the text of the block again.
        return signature === undefined
          ? delta
          : { ...delta, contentSignature: mapJson(signature, map) };
      }
      case "error":
        return { ...delta, errorMessage: map(delta.errorMessage) };
      default:
        return delta;
    }
  });
}

/** The batches in which an answer is streamed again. */
export function* streamedAgain(
  deltas: readonly AssistantDelta[],
): Iterable<AssistantDelta[]> {
  for (const delta of deltas) {
    if (!("delta" in delta)) {
      yield [delta];
      continue;
    }
    for (const piece of pieces(delta.delta)) {
      yield [{ ...delta, delta: piece }];
    }
  }
}

/** JSON, such as that of arguments, stays as the model wrote it where nothing in it is replaced. */
function mapJson(text: string, map: (text: string) => string): string {
  let args: unknown;
  try {
    args = JSON.parse(text);
  } catch {
    return map(text);
  }
  const mapped = JSON.stringify(mapStrings(args, map));
  return mapped === JSON.stringify(args) ? text : mapped;
}

function* pieces(text: string): Iterable<string> {
  for (let at = 0; at < text.length;) {
    let end = at + PIECE_LENGTH;
    // Both halves of a character stay together.
    if (/[\ud800-\udbff]/.test(text[end - 1] ?? "")) end++;
    yield text.slice(at, end);
    at = end;
  }
}
