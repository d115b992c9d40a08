const BLOCK = 512;

/** A file or a folder in an archive. */
export interface TarEntry {
  /** Relative, at most 100 bytes; a folder's ends with a slash and stands before what is in it. */
  path: string;
  isExecutable?: boolean;
  data?: Uint8Array<ArrayBuffer>;
}

/** An archive in the ustar format. Same entries, same bytes: no owner, no time of day. */
export function* tarArchive(
  entries: Iterable<TarEntry>,
): Iterable<Uint8Array<ArrayBuffer>> {
  for (const { path, isExecutable, data = new Uint8Array() } of entries) {
    const isFolder = path.endsWith("/");
    yield header(path, {
      mode: isFolder || isExecutable ? 0o755 : 0o644,
      size: data.length,
      type: isFolder ? "5" : "0",
    });
    yield data;
    yield new Uint8Array((BLOCK - data.length % BLOCK) % BLOCK);
  }
  yield new Uint8Array(2 * BLOCK);
}

function header(
  path: string,
  { mode, size, type }: { mode: number; size: number; type: string },
): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK);
  const put = (text: string, at: number) =>
    block.set(new TextEncoder().encode(text), at);
  const octal = (value: number, digits: number) =>
    value.toString(8).padStart(digits, "0") + "\0";
  if (new TextEncoder().encode(path).length > 100) {
    throw new RangeError(`Too long for the archive: "${path}"`);
  }
  put(path, 0);
  put(octal(mode, 7), 100);
  put(octal(0, 7), 108);
  put(octal(0, 7), 116);
  put(octal(size, 11), 124);
  put(octal(0, 11), 136);
  put(" ".repeat(8), 148);
  put(type, 156);
  put("ustar\x0000", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(`${octal(sum, 6)} `, 148);
  return block;
}
