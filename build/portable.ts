import { BuildError } from "./build_error.ts";
import { type Codec, DECODERS, encode } from "./codec.ts";
import { BARE_FLAGS, V8_FLAGS } from "./run_flags.ts";
import { tarArchive, type TarEntry } from "./tar_archive.ts";
import type { Target } from "./targets.ts";

/** What the script is padded to, so that the place of the payload is known. */
const HEADER_BYTES = 8192;

/** What a portable file is made of. */
export interface PortableParts {
  target: Target;
  version: string;
  /** Deno's program for the target. */
  deno: URL;
  /** A folder with the bundle. */
  bundle: URL;
  codec: Codec;
}

/**
 * Makes one executable file of the launcher, Deno and the bundle. The same
 * parts give the same bytes.
 */
export async function makePortable(
  { target, version, deno, bundle, codec }: PortableParts,
  file: URL,
): Promise<void> {
  const entries: TarEntry[] = [
    { path: "deno", isExecutable: true, data: await Deno.readFile(deno) },
    { path: "app/" },
    ...await bundleEntries(bundle, "app/"),
  ];
  const payload = await encode(tarArchive(entries), codec);
  const unpacked = entries.reduce(
    (sum, { data }) => sum + (data?.length ?? 0),
    0,
  );
  const header = await launcher({
    VERSION: version,
    TARGET: target.name,
    HEADER_BYTES: `${HEADER_BYTES}`,
    PAYLOAD_AT: `${HEADER_BYTES + 1}`,
    HASH: await sha256(payload),
    SIZE: `${payload.length}`,
    NEED_MB: `${Math.ceil((payload.length + unpacked) / 1e6)}`,
    DECODER: DECODERS[codec],
    RUN_FLAGS: [...BARE_FLAGS, V8_FLAGS].join(" "),
  });
  // Never half a file under its name.
  const half = new URL(`${file.href}.new`);
  await Deno.writeFile(half, ReadableStream.from([header, payload]));
  await Deno.chmod(half, 0o755);
  await Deno.rename(half, file);
}

/** The hexadecimal SHA-256 of bytes. */
export async function sha256(bytes: BufferSource): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

async function launcher(
  values: Record<string, string>,
): Promise<Uint8Array<ArrayBuffer>> {
  const template = await Deno.readTextFile(
    new URL("launcher.sh", import.meta.url),
  );
  const script = new TextEncoder().encode(
    template.replace(/@([A-Z_]+)@/g, (_, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`No value for @${name}@`);
      return value;
    }),
  );
  if (script.length >= HEADER_BYTES) {
    throw new BuildError(`The launcher is longer than ${HEADER_BYTES} bytes`);
  }
  const header = new Uint8Array(HEADER_BYTES).fill("#".charCodeAt(0));
  header.set(script);
  header[HEADER_BYTES - 1] = "\n".charCodeAt(0);
  return header;
}

/** In the order of their names, so that nothing depends on the disk. */
async function bundleEntries(
  folder: URL,
  prefix: string,
): Promise<TarEntry[]> {
  const found = await Array.fromAsync(Deno.readDir(folder));
  found.sort((a, b) => a.name < b.name ? -1 : 1);
  const entries: TarEntry[] = [];
  for (const { name, isDirectory } of found) {
    if (isDirectory) {
      const path = `${prefix}${name}/`;
      entries.push({ path });
      entries.push(...await bundleEntries(new URL(`${name}/`, folder), path));
    } else {
      const data = await Deno.readFile(new URL(name, folder));
      entries.push({ path: `${prefix}${name}`, data });
    }
  }
  return entries;
}
