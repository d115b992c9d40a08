import { BuildError } from "../../build/build_error.ts";
import { runProgram } from "../../build/run_program.ts";
import { filePath } from "../../src/host/file_path.ts";

/**
 * A package with a program that was made by `deno compile`, for Linux on x64:
 * it holds Deno's runtime base. The program is never run, and what is built on
 * its base is for tests alone.
 */
export const HOLDER = {
  npmPackage: "@chelonia/cli-x64-linux@3.4.0",
  program: "package/chel",
  /** The version of Deno that may build on the base. */
  deno: "2.9.4",
  /** The digest of the base. */
  sha256: "723d45cca4f68bd66652da1e0d45562b0700317c1535981035f50f078785a131",
} as const;

/** The runtime base as a file in a folder. Throws a {@linkcode BuildError} where it cannot be had. */
export async function fetchRuntimeBase(folder: URL): Promise<URL> {
  const { npmPackage, program, sha256 } = HOLDER;
  const place = filePath(folder);
  const packed = await runProgram("npm", [
    ...["pack", npmPackage, "--loglevel", "error", "--pack-destination", place],
  ]);
  const archive = new URL(packed.trim().split("\n").at(-1) ?? "", folder);
  await runProgram("tar", ["-xzf", filePath(archive), "-C", place, program]);
  const base = runtimeBaseOf(await Deno.readFile(new URL(program, folder)));
  await Deno.remove(archive);
  await Deno.remove(new URL("package", folder), { recursive: true });
  const digest = await crypto.subtle.digest("SHA-256", base);
  if (new Uint8Array(digest).toHex() !== sha256) {
    throw new BuildError(`${npmPackage} does not hold the base that it held`);
  }
  const file = new URL("denort", folder);
  await Deno.writeFile(file, base, { mode: 0o755 });
  return file;
}

/** Offsets in the header of an ELF file that describe its two tables. */
const PROGRAM_HEADERS = { at: 0x20, count: 0x38, standard: 64n };
const SECTIONS = { at: 0x28, count: 0x3c, size: 64 };
/** The number of entries that `deno compile` added to each table. */
const ADDED = 2;

/**
 * Takes away what `deno compile` added to its runtime base: it appends the code
 * and longer copies of two tables, and has the header name those.
 */
function runtimeBaseOf(
  program: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  const bytes = program.slice();
  const header = new DataView(bytes.buffer);
  const copy = Number(header.getBigUint64(SECTIONS.at, true));
  const count = header.getUint16(SECTIONS.count, true) - ADDED;
  // The first section is empty; the second has the same words in both tables.
  const words = bytes.subarray(copy + SECTIONS.size, copy + 2 * SECTIONS.size);
  let table = Number(header.getBigUint64(PROGRAM_HEADERS.at, true));
  while (table > 0 && !startsWith(bytes, table + SECTIONS.size, words)) {
    table -= 8;
  }
  header.setBigUint64(PROGRAM_HEADERS.at, PROGRAM_HEADERS.standard, true);
  header.setBigUint64(SECTIONS.at, BigInt(table), true);
  for (const { count: at } of [PROGRAM_HEADERS, SECTIONS]) {
    header.setUint16(at, header.getUint16(at, true) - ADDED, true);
  }
  // The table of sections was the last thing in the file.
  return bytes.subarray(0, table + count * SECTIONS.size);
}

function startsWith(bytes: Uint8Array, at: number, words: Uint8Array): boolean {
  return words.every((byte, index) => bytes[at + index] === byte);
}
