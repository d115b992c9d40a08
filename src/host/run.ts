import { type DeltaSource, ModelError } from "../model/mod.ts";
import type { RunEvent, RunResult, SessionHeader } from "../protocol/mod.ts";
import { deltaSourceFor } from "../providers/mod.ts";
import { chooseModel, type ChosenModel } from "./choose_model.ts";
import type { KernelProgram } from "./kernel_process.ts";
import { KernelServer } from "./kernel_server.ts";
import { parseRecording } from "./recording.ts";
import { REPLAY_MODEL, replaySource } from "./replay.ts";
import { RunRecord } from "./run_record.ts";
import { UsageError } from "./usage_error.ts";

/** Why a run is stopped from outside. */
export type StopReason =
  | "interrupted"
  | "terminated"
  | "hung_up"
  | "stdout_closed";

/** What the host needs to start a run. */
export interface RunOptions {
  prompt: string;
  /** Must exist. */
  cwd: string;
  /** `provider/id` or `id`; chosen from the environment when absent. Ignored with `replay`. */
  model?: string | undefined;
  /** Answer from this recording instead of a provider. */
  replay?: { text: string; name: string } | undefined;
  /** Answers the model requests in place of the providers; no key is needed then. Ignored with `replay`. */
  source?: DeltaSource | undefined;
  /** Default: read, bash, edit, write. */
  tools?: string[] | undefined;
  maxTurns?: number | undefined;
  /** Milliseconds for everything. */
  timeoutMs?: number | undefined;
  /** Have tool events rendered for a terminal. */
  render?: { width: number; color: boolean } | undefined;
  /** Emit `message_update` events. */
  updates: boolean;
  kernel: KernelProgram;
  /** The user's environment: keys are taken from it, and what children may see. */
  env: Record<string, string>;
  /** Milliseconds of silence after which the kernel counts as hung. Default 10,000. */
  heartbeatMs?: number | undefined;
  /** Megabytes of the kernel's heap. Default 2048. */
  kernelHeapMb?: number | undefined;
}

/** Who hears of a run. */
export interface RunListener {
  /** The header, then each event, in order. A slow listener slows the run down. */
  emit(event: SessionHeader | RunEvent): void | Promise<void>;
  /** A line for stderr: what plugins print, and warnings. Not made safe for a terminal. */
  log(line: string): void;
  /** Aborted to stop the run, with a {@linkcode StopReason} as its reason. */
  stop: AbortSignal;
}

/**
 * Runs one prompt to its end in a kernel process of its own.
 *
 * Resolves to the terminal record whatever happens, with every process of the
 * run dead. Rejects only with a {@linkcode UsageError}, before anything was
 * started.
 */
export async function startRun(
  options: RunOptions,
  listener: RunListener,
): Promise<RunResult> {
  const cwd = realFolder(options.cwd);
  const exchanges = options.replay &&
    parseRecording(options.replay.text, options.replay.name);
  const record = new RunRecord({ sessionId: crypto.randomUUID(), cwd });
  await listener.emit(record.header());
  let chosen: ChosenModel;
  try {
    chosen = exchanges
      ? { model: REPLAY_MODEL }
      : chooseModel(options.model, options.env, {
        needsKey: !options.source,
      });
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    record.facts.modelError = error;
    return record.finish();
  }
  record.model = `${chosen.model.provider}/${chosen.model.id}`;
  const name = options.replay?.name ?? "";
  const source = async () =>
    exchanges
      ? replaySource(exchanges, { cwd, name })
      : options.source ?? await deltaSourceFor(chosen.model.api);

  try {
    await inOutputFolder((outputDir) =>
      new KernelServer(options, { listener, record, chosen, source, outputDir })
        .run()
    );
  } catch (error) {
    record.facts.internalError = error instanceof Error
      ? error.message
      : String(error);
  }
  return record.finish();
}

/** Lends a private folder for as long as `work` takes. */
async function inOutputFolder(
  work: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "tau-" }));
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true }).catch(() => {});
  }
}

function realFolder(path: string): string {
  let why = "not a folder";
  try {
    const real = Deno.realPathSync(path);
    if (Deno.statSync(real).isDirectory) return real;
  } catch (error) {
    why = error instanceof Deno.errors.NotFound
      ? "no such folder"
      : error instanceof Error
      ? error.message
      : String(error);
  }
  throw new UsageError(`Cannot work in "${path}": ${why}`);
}
