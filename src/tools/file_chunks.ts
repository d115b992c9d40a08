import type { OpenedFile } from "../operations/file_operations.ts";

const CHUNK_BYTES = 256 * 1024;

/**
 * The bytes of a file, up to the size that it had when it was opened, so that a
 * log that grows has an end. A file of size 0 is read to its end: those of
 * `/proc` have content all the same. Each chunk is valid until the next.
 */
export async function* fileChunks(
  file: OpenedFile,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  let left = file.stamp.size > 0 ? file.stamp.size : Infinity;
  const buffer = new Uint8Array(Math.min(CHUNK_BYTES, left));
  while (left > 0) {
    signal?.throwIfAborted();
    const wanted = Math.min(buffer.byteLength, left);
    let filled = 0;
    while (filled < wanted) {
      const count = await file.read(buffer.subarray(filled, wanted));
      if (count === null) break;
      filled += count;
    }
    if (filled > 0) yield buffer.subarray(0, filled);
    if (filled < wanted) return;
    left -= filled;
  }
}

/** A stream of chunks with one put in front again. */
export async function* withFirst(
  first: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  yield first;
  yield* rest;
}

/** All bytes of a stream; undefined when there are more than `maxBytes`. */
export async function wholeFile(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    parts.push(chunk.slice());
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.byteLength;
  }
  return bytes;
}
