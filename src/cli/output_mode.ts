import type { RunEvent } from "../protocol/event_schemas.ts";
import type { RunResult } from "../protocol/result_schema.ts";
import { answerOf } from "../protocol/run_result.ts";
import type { SessionHeader } from "../session/session_entry.ts";
import type { Console } from "./console.ts";
import type { OutputFormat } from "./options/option_table.ts";
import type { OutputWriter } from "./output_writer.ts";
import {
  createBriefProgress,
  createFullProgress,
  type Progress,
} from "./progress.ts";
import { jsonLine, terminalText } from "./terminal_text.ts";

/** Writes the events of a run to stdout. It hands text to a writer and waits for nobody. */
export interface OutputMode {
  /** Gets the header and each event of the run, in order. */
  emit(event: SessionHeader | RunEvent): void;
  /** Gets the result, once, as the last thing. */
  end(result: RunResult): void;
}

/** The mode of `--output-format`; progress of `text` goes to stderr. */
export function createMode(format: OutputFormat, console: Console): OutputMode {
  const { stdout, stderr } = console;
  const writeLine = (value: unknown) => stdout.write(jsonLine(value));
  if (format === "json") return { emit: () => {}, end: writeLine };
  if (format === "stream-json") return { emit: writeLine, end: writeLine };
  const showLine = (line: string) => stderr.write(`${line}\n`);
  return createTextMode({
    stdout,
    isTerminal: console.stdoutIsTerminal,
    progress: console.stderrIsTerminal
      ? createFullProgress(showLine, console.renderingFor("stderr"))
      : createBriefProgress(showLine),
  });
}

/** The answer on stdout and nothing else; of a run that failed, as much of an answer as there is. */
export function createTextMode({ stdout, isTerminal, progress }: {
  stdout: OutputWriter;
  /** Make control characters of the answer visible. */
  isTerminal: boolean;
  progress: Progress;
}): OutputMode {
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
