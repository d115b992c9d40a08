const SIGNATURES: readonly (readonly [kind: string, start: string])[] = [
  ["ELF program", "\x7fELF"],
  ["ZIP archive", "PK\x03\x04"],
  ["gzip data", "\x1f\x8b"],
  ["bzip2 data", "BZh"],
  ["xz data", "\xfd7zXZ\x00"],
  ["Zstandard data", "\x28\xb5\x2f\xfd"],
  ["7-Zip archive", "7z\xbc\xaf\x27\x1c"],
  ["PDF document", "%PDF-"],
  ["SQLite database", "SQLite format 3\x00"],
  ["WebAssembly module", "\x00asm"],
  ["Java class or Mach-O program", "\xca\xfe\xba\xbe"],
  ["Mach-O program", "\xcf\xfa\xed\xfe"],
  ["Windows program", "MZ"],
  ["BMP image", "BM"],
  ["TIFF image", "II*\x00"],
  ["TIFF image", "MM\x00*"],
  ["Ogg data", "OggS"],
  ["UTF-32 text", "\xff\xfe\x00\x00"],
];

/** What kind of binary file begins like this; undefined when unknown. */
export function binaryKind(head: Uint8Array): string | undefined {
  const start = String.fromCharCode(...head.subarray(0, 16));
  return SIGNATURES.find(([, signature]) => start.startsWith(signature))?.[0];
}
