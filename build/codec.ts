import { BuildError } from "./build_error.ts";

/** How the payload of a portable file is packed: its size against the time of its first run. */
export type Codec = typeof CODECS[number];

/** The names of {@linkcode Codec}. */
export const CODECS = ["none", "gzip", "zstd"] as const;

/** The shell command that unpacks, from a file's name that is added to its standard output. */
export const DECODERS: Record<Codec, string> = {
  none: "cat",
  gzip: "gzip -dc",
  zstd: "zstd -qdc",
};

/** Packs bytes. The same bytes give the same again. */
export function encode(
  chunks: Iterable<Uint8Array<ArrayBuffer>>,
  codec: Codec,
): Promise<Uint8Array<ArrayBuffer>> {
  const stream = ReadableStream.from(chunks);
  switch (codec) {
    case "none":
      return new Response(stream).bytes();
    case "gzip":
      return new Response(stream.pipeThrough(new CompressionStream("gzip")))
        .bytes();
    case "zstd":
      return encodeZstd(stream);
  }
}

/** By the program of that name: Deno has no such stream. */
async function encodeZstd(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<Uint8Array<ArrayBuffer>> {
  let child;
  try {
    child = new Deno.Command("zstd", {
      args: ["-q", "-10", "-c"],
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new BuildError('"zstd" is not installed', { cause: error });
  }
  const [, { success, stdout }] = await Promise.all([
    stream.pipeTo(child.stdin),
    child.output(),
  ]);
  if (!success) throw new BuildError("zstd failed");
  return stdout;
}
