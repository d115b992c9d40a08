import { formatSize } from "../sdk/truncate.ts";

// Control sequences (colours, cursor), operating system commands (titles,
// links), device strings, character sets and the escapes of two characters.
const ESCAPES =
  // deno-lint-ignore no-control-regex -- control characters are what it looks for
  /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[PX^_][^\x1b]*\x1b\\|\x1b[ -/]+[0-~]|\x1b[0-Z\\-~]/g;

/** Characters that no text holds, or that stand for bytes that are none. */
// deno-lint-ignore no-control-regex -- control characters are what it looks for
const FOREIGN = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd]/g;

// deno-lint-ignore no-control-regex -- control characters are what it looks for
const CONTROL = /[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

/**
 * The output of a program as text for a model: without escape sequences and
 * control characters, NUL as `␀`, and runs of binary lines as one line that
 * says how much there was.
 */
export function readableOutput(
  output: string,
): { text: string; binary: boolean } {
  const plain = output.includes("\x1b") ? output.replace(ESCAPES, "") : output;
  if (plain.search(FOREIGN) === -1) return { text: plain, binary: false };

  const lines: string[] = [];
  let binary = false;
  let run = 0;
  const endRun = () => {
    if (run > 0) lines.push(`[binary data, about ${formatSize(run)}]`);
    run = 0;
  };
  for (const line of plain.split("\n")) {
    const foreign = countForeign(line);
    // Within a run little is needed to belong to it.
    const threshold = run > 0 ? 1 : 4;
    if (foreign >= threshold && foreign * 10 > line.length) {
      run += line.length + 1;
      binary = true;
      continue;
    }
    endRun();
    lines.push(line.replaceAll("\0", "␀").replace(CONTROL, ""));
  }
  endRun();
  return { text: lines.join("\n"), binary };
}

/** Counts what makes a line binary; a NUL here and there only separates names. */
function countForeign(line: string): number {
  const all = line.match(FOREIGN)?.length ?? 0;
  const nuls = line.split("\0").length - 1;
  return nuls * 4 > line.length ? all : all - nuls;
}
