import { openAnswerFile } from "../host/answer_file.ts";
import type { KernelProgram } from "../host/kernel_process.ts";
import { type RunOptions, startRun } from "../host/run.ts";
import type { OutputFormat, PromptPart, RunFlags } from "./invocation.ts";
import type { Console } from "./console.ts";
import { createJsonMode } from "./json_mode.ts";
import type { OutputMode } from "./output_mode.ts";
import { createBriefProgress, createFullProgress } from "./progress.ts";
import { readPrompt } from "./read_prompt.ts";
import { recordingChoice } from "./read_recording.ts";
import { runHeadless } from "./run_headless.ts";
import { sessionOptions } from "./session_options.ts";
import { StoppableSource } from "./stoppable_source.ts";
import { createStreamJsonMode } from "./stream_json_mode.ts";
import { createTextMode } from "./text_mode.ts";

/** What a command gets from the composition root. */
export interface RunSurroundings {
  console: Console;
  env: Record<string, string>;
  kernel: KernelProgram;
}

/** `tau [options] [prompt…]`: returns the exit code. Throws `UsageError`, and a `StoppedError` for a signal, or the end of the time limit, while stdin is read. */
export async function runCommand(
  { flags, prompt }: { flags: RunFlags; prompt: PromptPart[] },
  { console, env, kernel }: RunSurroundings,
): Promise<number> {
  if (isConversation(flags, console)) {
    const { converseCommand } = await import("./line_mode/converse_command.ts");
    return await converseCommand({ flags, prompt }, { console, env, kernel });
  }
  const startMs = performance.now();
  const format = flags["output-format"] ?? "text";
  const answerPath = flags["output-last-message"];
  const { options: shared, warnings } = await sessionOptions(flags, {
    env,
    kernel,
    attachments: prompt.flatMap((part) => "file" in part ? [part.file] : []),
  });
  const options: RunOptions = {
    ...shared,
    prompt: await promptOf(prompt, { console, timeoutMs: flags.timeout }),
    answerFile: answerPath === undefined
      ? undefined
      : await openAnswerFile(answerPath),
    timeoutMs: flags.timeout &&
      Math.max(1, flags.timeout - (performance.now() - startMs)),
    ...await recordingChoice(flags),
    mode: format === "text" ? "print" : "json",
    render: format === "text" ? console.renderingFor("stderr") : undefined,
    updates: format === "stream-json",
  };
  warnings.forEach((warning) => console.warn(warning));
  const mode = createMode(format, console);
  return await runHeadless({ startRun, options, mode, console });
}

async function promptOf(
  parts: readonly PromptPart[],
  { console, timeoutMs }: {
    console: Console;
    timeoutMs: number | undefined;
  },
): Promise<string> {
  using stdin = new StoppableSource(console.stdin, { timeoutMs });
  return await readPrompt(parts, stdin);
}

function createMode(format: OutputFormat, console: Console): OutputMode {
  const { stdout, stderr } = console;
  if (format === "json") return createJsonMode(stdout);
  if (format === "stream-json") return createStreamJsonMode(stdout);
  const writeLine = (line: string) => stderr.write(`${line}\n`);
  return createTextMode({
    stdout,
    isTerminal: console.stdoutIsTerminal,
    progress: console.stderrIsTerminal
      ? createFullProgress(writeLine, console.renderingFor("stderr"))
      : createBriefProgress(writeLine),
  });
}

function isConversation(flags: RunFlags, console: Console): boolean {
  return !flags.print && flags["output-format"] === undefined &&
    console.stdoutIsTerminal && console.stdin.isTerminal();
}
