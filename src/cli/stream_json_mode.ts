import type { OutputMode } from "./output_mode.ts";
import type { OutputWriter } from "./output_writer.ts";
import { jsonLine } from "./terminal_text.ts";

/** A line of JSON for the header, for each event, and last for the result record. */
export function createStreamJsonMode(stdout: OutputWriter): OutputMode {
  const writeLine = (value: unknown) => stdout.write(jsonLine(value));
  return { emit: writeLine, end: writeLine };
}
