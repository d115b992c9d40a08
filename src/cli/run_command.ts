import { openAnswerFile } from "../host/answer_file.ts";
import { startRun } from "../host/run.ts";
import type { RunOptions } from "../host/run_options.ts";
import { UsageError } from "../settings/usage_error.ts";
import type { Console } from "./console.ts";
import type { CommandLine } from "./options/command_table.ts";
import type { RunFlags } from "./options/option_table.ts";
import { recordingOptions, sessionOptions } from "./options/run_options.ts";
import { createMode } from "./output_mode.ts";
import type { Surroundings } from "./program.ts";
import { promptParts, readPrompt } from "./read_prompt.ts";
import { runHeadless } from "./run_headless.ts";
import { StopSignals } from "./stop_signals.ts";

/** `tau [options] [prompt…]`: returns the exit code. Throws `UsageError`, and a `StoppedError` for a signal, or the end of the time limit, while stdin is read. */
export async function runCommand(
  line: CommandLine<"">,
  { console, env, kernel }: Surroundings,
): Promise<number> {
  const { given: flags } = line;
  const prompt = promptParts(line);
  if (isConversation(flags, console)) {
    const { converseCommand } = await import("./line_mode/converse_command.ts");
    return await converseCommand({ flags, prompt }, { console, env, kernel });
  }
  await refuseMistypedCommand(line);
  const startMs = performance.now();
  const format = flags["output-format"] ?? "text";
  const answerPath = flags["output-last-message"];
  const { options: shared, warnings } = await sessionOptions(flags, {
    env,
    kernel,
    attachments: prompt.flatMap((part) => "file" in part ? [part.file] : []),
  });
  // A prompt behind -- is no command of prompts.
  const isPlain = line.literal.length > 0 &&
    promptParts({ words: line.words, literal: [] })
      .every((part) => "file" in part);
  using signals = new StopSignals();
  const options: RunOptions = {
    ...shared,
    context: shared.context && { ...shared.context, isPlain },
    prompt: await readPrompt(
      prompt,
      console.stdin,
      () => signals.stopped(flags.timeout),
    ),
    answerFile: answerPath === undefined
      ? undefined
      : await openAnswerFile(answerPath),
    timeoutMs: flags.timeout &&
      Math.max(1, flags.timeout - (performance.now() - startMs)),
    ...await recordingOptions(flags),
    mode: format === "text" ? "print" : "json",
    render: format === "text" ? console.renderingFor("stderr") : undefined,
    updates: format === "stream-json",
  };
  warnings.forEach((warning) => console.warn(warning));
  const mode = createMode(format, console);
  return await runHeadless({ startRun, options, mode, console, signals });
}

/**
 * Throws a {@linkcode UsageError} for a prompt of one word that is most likely
 * a mistyped command. Words behind `--` never are, and neither is what is said
 * in a session that goes on.
 */
async function refuseMistypedCommand(
  { words, literal, given }: CommandLine<"">,
): Promise<void> {
  const [word, ...more] = words;
  if (word === undefined || more.length + literal.length > 0) return;
  if (given.continue || given.resume || given.session) return;
  if (!/^[\w-]{2,20}$/.test(word)) return;
  const { describeMistypedCommand } = await import(
    "./options/mistyped_command.ts"
  );
  const problem = describeMistypedCommand(word);
  if (problem !== undefined) throw new UsageError(problem);
}

function isConversation(flags: RunFlags, console: Console): boolean {
  return !flags.print && flags["output-format"] === undefined &&
    console.stdoutIsTerminal && console.stdin.isTerminal();
}
