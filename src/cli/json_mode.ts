import type { OutputMode } from "./output_mode.ts";
import type { OutputWriter } from "./output_writer.ts";
import { jsonLine } from "./terminal_text.ts";

/** One line on stdout: the result record. */
export function createJsonMode(stdout: OutputWriter): OutputMode {
  return {
    emit: () => {},
    end: (result) => stdout.write(jsonLine(result)),
  };
}
