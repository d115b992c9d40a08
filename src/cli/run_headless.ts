import type { RunListener, RunOptions } from "../host/run_options.ts";
import type { RunResult } from "../protocol/result_schema.ts";
import { bareResult } from "./bare_result.ts";
import type { Console } from "./console.ts";
import type { OutputMode } from "./output_mode.ts";
import { StopSignals } from "./stop_signals.ts";
import { terminalText } from "./terminal_text.ts";

/** A run and how it is shown. */
export interface HeadlessRun {
  /** `startRun` of the host. */
  startRun(options: RunOptions, listener: RunListener): Promise<RunResult>;
  options: RunOptions;
  mode: OutputMode;
  console: Console;
  /** Closed at the end. Default: those of the system. */
  signals?: StopSignals;
}

/**
 * Runs a prompt to its end and returns the exit code, with everything written.
 * Signals and a lost stdout stop the run. Rejects as `startRun` does, when
 * nothing has been started.
 */
export async function runHeadless(run: HeadlessRun): Promise<number> {
  const { mode, console } = run;
  using signals = run.signals ?? new StopSignals();
  console.stdout.failed.then(() => signals.stop("stdout_closed"));
  const result = await endOf(run, signals);
  await console.stderr.flush(AbortSignal.abort());
  mode.end(result);
  const hurry = result.status === "timeout"
    ? AbortSignal.abort()
    : signals.signal;
  await console.stdout.flush(hurry);
  const reason = whyItFailed(result);
  if (reason !== undefined) console.warn(reason);
  return await console.settle(result.exitCode, hurry);
}

async function endOf(
  { startRun, options, mode, console }: HeadlessRun,
  signals: StopSignals,
): Promise<RunResult> {
  const startMs = performance.now();
  const stopped = new Promise<void>((resolve) =>
    signals.signal.addEventListener("abort", () => resolve())
  );
  const finished = startRun(options, {
    emit(event) {
      mode.emit(event);
      const backlog = console.stdout.backlog();
      // A run that is stopped does not wait for a reader.
      return backlog && Promise.race([backlog, stopped]);
    },
    log: (line) => console.stderr.write(`${terminalText(line)}\n`),
    stop: signals.signal,
  });
  const result = await Promise.race([finished, signals.gaveUp]);
  if (result) return result;
  finished.catch(() => {});
  return bareResult(
    signals.reason ?? "interrupted",
    "The run did not end in time after it was stopped",
    { cwd: options.cwd, durationMs: performance.now() - startMs },
  );
}

/** The line on stderr about a run that did not complete; none for a closed stdout. */
function whyItFailed({ status, error }: RunResult): string | undefined {
  if (status === "completed" || status === "stdout_closed") return undefined;
  return error?.message ?? `Run ended: ${status.replaceAll("_", " ")}`;
}
