import { answerOf } from "../protocol/run_result.ts";
import type { OutputMode } from "./output_mode.ts";
import type { OutputWriter } from "./output_writer.ts";
import type { Progress } from "./progress.ts";
import { terminalText } from "./terminal_text.ts";

/** Settings of {@linkcode createTextMode}. */
export interface TextModeOptions {
  stdout: OutputWriter;
  /** Make control characters of the answer visible. */
  isTerminal: boolean;
  progress: Progress;
}

/**
 * The final answer on stdout, and nothing else; progress goes where it was
 * made to go. Of a run that failed, stdout gets what there is of an answer.
 */
export function createTextMode(
  { stdout, isTerminal, progress }: TextModeOptions,
): OutputMode {
  return {
    emit: (event) => progress.show(event),
    end(result) {
      progress.end();
      const answer = answerOf(result);
      if (answer === "") return;
      stdout.write(isTerminal ? terminalText(answer) : answer);
    },
  };
}
