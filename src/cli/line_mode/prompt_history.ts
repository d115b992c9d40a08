const MAX_BYTES = 1024 * 1024;
/** A larger file is not ours. */
const MAX_READ_BYTES = 4 * MAX_BYTES;
const MAX_ENTRIES = 1000;

/** The prompts of earlier conversations, one JSON text a line in a file of the user's. */
export class PromptHistory {
  readonly #home: string | undefined;
  readonly #path: string | undefined;

  /** `home` is `TAU_HOME`; nothing is kept where there is none. */
  constructor(home: string | undefined) {
    this.#home = home;
    this.#path = home && `${home}/history.jsonl`;
  }

  /** The latest, oldest first. What cannot be read is not there. */
  read(): string[] {
    if (this.#path === undefined) return [];
    try {
      const { isFile, size } = Deno.statSync(this.#path);
      if (!isFile || size > MAX_READ_BYTES) return [];
      const text = Deno.readTextFileSync(this.#path);
      return text.split("\n").flatMap(parseLine).slice(-MAX_ENTRIES);
    } catch {
      return [];
    }
  }

  /** Adds one; a file that grew long is begun anew with the latest. */
  add(prompt: string): void {
    if (this.#home === undefined || this.#path === undefined) return;
    const line = `${JSON.stringify(prompt)}\n`;
    if (line.length > MAX_BYTES / 4) return;
    try {
      Deno.mkdirSync(this.#home, { recursive: true, mode: 0o700 });
      const isLong = sizeOf(this.#path) + line.length > MAX_BYTES;
      const before = isLong ? latestLines(this.read()) : "";
      Deno.writeTextFileSync(this.#path, before + line, {
        append: !isLong,
        mode: 0o600,
      });
    } catch {
      // The history is optional: a failure to write it is ignored.
    }
  }
}

/** As many of the latest as are short enough together. */
function latestLines(prompts: readonly string[]): string {
  const lines: string[] = [];
  let length = 0;
  for (const prompt of prompts.toReversed()) {
    const line = `${JSON.stringify(prompt)}\n`;
    length += line.length;
    if (length > MAX_BYTES / 4) break;
    lines.unshift(line);
  }
  return lines.join("");
}

function parseLine(line: string): string[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "string" ? [value] : [];
  } catch {
    return [];
  }
}

/** Throws for what is there and is no file. */
function sizeOf(path: string): number {
  let info: Deno.FileInfo;
  try {
    info = Deno.statSync(path);
  } catch {
    return 0;
  }
  if (!info.isFile) throw new Error("not a file");
  return info.size;
}
