import type { OutputMode } from "./output_mode.ts";
import type { OutputWriter } from "./output_writer.ts";

/** One line on stdout: the result record. */
export function createJsonMode(stdout: OutputWriter): OutputMode {
  return {
    emit: () => {},
    end: (result) => stdout.write(`${JSON.stringify(result)}\n`),
  };
}
