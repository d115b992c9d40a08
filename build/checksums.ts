import { sha256 } from "./portable.ts";

/** Writes SHA256SUMS for files of a folder, in the format that `sha256sum -c` reads. */
export async function writeChecksums(
  folder: URL,
  names: readonly string[],
): Promise<void> {
  const lines: string[] = [];
  for (const name of names.toSorted()) {
    const bytes = await Deno.readFile(new URL(name, folder));
    lines.push(`${await sha256(bytes)}  ${name}\n`);
  }
  await Deno.writeTextFile(new URL("SHA256SUMS", folder), lines.join(""));
}
