import {
  type KernelProgram,
  openAnswerFile,
  type RunOptions,
  startRun,
  UsageError,
} from "../host/mod.ts";
import type { OutputFormat, PromptPart, RunFlags } from "./invocation.ts";
import type { Console } from "./console.ts";
import { checkChoice } from "./goal_flags.ts";
import { createJsonMode } from "./json_mode.ts";
import type { OutputMode } from "./output_mode.ts";
import { createBriefProgress, createFullProgress } from "./progress.ts";
import { limitChoice } from "./limit_flags.ts";
import { proxySource } from "./proxy_source.ts";
import { readOutputSchema } from "./read_output_schema.ts";
import { readConfiguration } from "./read_configuration.ts";
import { readPrompt } from "./read_prompt.ts";
import { runHeadless } from "./run_headless.ts";
import { sessionChoice } from "./session_flags.ts";
import { StoppableSource } from "./stoppable_source.ts";
import { createStreamJsonMode } from "./stream_json_mode.ts";
import { createTextMode } from "./text_mode.ts";

/** What a command gets from the composition root. */
export interface RunSurroundings {
  console: Console;
  env: Record<string, string>;
  kernel: KernelProgram;
}

const MAX_RECORDING_BYTES = 64 * 1024 * 1024;

/** `tau [options] [prompt…]`: returns the exit code. Throws {@linkcode UsageError}, and a `StoppedError` for a signal, or the end of the time limit, while stdin is read. */
export async function runCommand(
  { flags, prompt }: { flags: RunFlags; prompt: PromptPart[] },
  { console, env, kernel }: RunSurroundings,
): Promise<number> {
  const startMs = performance.now();
  const format = flags["output-format"] ?? "text";
  refuseConversation(flags, console);
  const answerPath = flags["output-last-message"];
  const attachments = prompt.flatMap((part) =>
    "file" in part ? [part.file] : []
  );
  const configuration = await readConfiguration(flags, { env, attachments });
  const options: RunOptions = {
    prompt: await promptOf(prompt, { console, timeoutMs: flags.timeout }),
    cwd: flags.cd ?? ".",
    model: flags.model,
    ...limitChoice(flags),
    ...configuration.options,
    check: checkChoice(flags),
    outputSchema: await readOutputSchema(flags["output-schema"]),
    answerFile: answerPath === undefined
      ? undefined
      : await openAnswerFile(answerPath),
    timeoutMs: flags.timeout &&
      Math.max(1, flags.timeout - (performance.now() - startMs)),
    replay: await readRecording(flags.replay),
    session: sessionChoice(flags),
    source: await proxySource(env),
    render: format === "text" ? console.renderingFor("stderr") : undefined,
    updates: format === "stream-json",
    kernel,
    env,
  };
  configuration.warnings.forEach((warning) => console.warn(warning));
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

function refuseConversation(flags: RunFlags, console: Console): void {
  const headless = flags.print || flags["output-format"] !== undefined ||
    !console.stdoutIsTerminal || !console.stdin.isTerminal();
  if (headless) return;
  throw new UsageError(
    'There is no interactive mode yet: run a prompt with -p, as in tau -p "fix the failing test"',
  );
}

async function readRecording(
  path: string | undefined,
): Promise<RunOptions["replay"]> {
  if (path === undefined) return undefined;
  try {
    const { isFile, size } = await Deno.stat(path);
    if (!isFile) throw new UsageError("not a file");
    if (size > MAX_RECORDING_BYTES) throw new UsageError("larger than 64 MiB");
    return { text: await Deno.readTextFile(path), name: path };
  } catch (error) {
    throw new UsageError(
      `Cannot read the recording ${JSON.stringify(path)}: ${reason(error)}`,
      { cause: error },
    );
  }
}

function reason(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "it does not exist";
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  return error instanceof Error ? error.message : String(error);
}
