import { type DeltaSource, type JsonSchema, ModelError } from "../model/mod.ts";
import {
  answerOf,
  type LimitOptions,
  type RunEvent,
  type RunResult,
  type SessionHeader,
} from "../protocol/mod.ts";
import {
  type ContextOptions,
  type ReadContext,
  readContext,
} from "../context/mod.ts";
import { deltaSourceFor } from "../providers/mod.ts";
import type { AnswerFile } from "./answer_file.ts";
import { chooseModel, type ChosenModel } from "./choose_model.ts";
import type { KernelProgram } from "./kernel_process.ts";
import { KernelServer } from "./kernel_server.ts";
import { pricedModel } from "./priced_model.ts";
import { openOutputFolder } from "./output_folder.ts";
import { parseRecording } from "./recording.ts";
import { REPLAY_MODEL, replaySource } from "./replay.ts";
import { RunRecord } from "./run_record.ts";
import { RunSession, type SessionChoice } from "./run_session.ts";
import { type ProviderSettings, UsageError } from "../settings/mod.ts";

/** Why a run is stopped from outside. */
export type StopReason =
  | "interrupted"
  | "terminated"
  | "hung_up"
  | "stdout_closed";

/** What the host needs to start a run. */
export interface RunOptions extends LimitOptions {
  prompt: string;
  /** Must exist. */
  cwd: string;
  /** `provider/id` or `id`; chosen from the environment when absent. Ignored with `replay`. */
  model?: string | undefined;
  /** The model where neither `model` nor the session names one. */
  defaultModel?: string | undefined;
  /** Providers beside the built-in ones, and changes of those. */
  providers?: Record<string, ProviderSettings> | undefined;
  /** Where more of what the model is told comes from; nothing is read when absent. */
  context?: Omit<ContextOptions, "prompt" | "cwd" | "homeDir"> | undefined;
  /** Answer from this recording instead of a provider. */
  replay?: { text: string; name: string } | undefined;
  /** Store the conversation, or go on with one. Default: it is not stored. Ignored with `replay`. */
  session?: SessionChoice | undefined;
  /** Answers the model requests in place of the providers; no key is needed then. Ignored with `replay`. */
  source?: DeltaSource | undefined;
  /** Default: read, bash, edit, write. */
  tools?: string[] | undefined;
  /** Of commands of bash that name no timeout. Default 600,000. */
  bashTimeoutMs?: number | undefined;
  /** Requests after a failed one. Default 3. */
  maxRetries?: number | undefined;
  /** A command that must succeed before the run counts as completed; the model hears of a failure `retries` times. */
  check?: { command: string; retries: number } | undefined;
  /** The final answer must be JSON that fits it. One that `checkSchema` takes. */
  outputSchema?: JsonSchema | undefined;
  /** Gets the answer of a run that completed. */
  answerFile?: AnswerFile | undefined;
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
  const session = options.session && !options.replay
    ? RunSession.open(options.session, {
      cwd,
      env: options.env,
      warn: (problem) => listener.log(`tau: ${problem}`),
    })
    : undefined;
  try {
    return await runIn(session, { cwd, options, listener });
  } finally {
    session?.close();
  }
}

async function runIn(
  session: RunSession | undefined,
  { cwd, options, listener }: {
    cwd: string;
    options: RunOptions;
    listener: RunListener;
  },
): Promise<RunResult> {
  const exchanges = options.replay &&
    parseRecording(options.replay.text, options.replay.name);
  const told = await toldBy(options, cwd);
  const { outputSchema } = options;
  const sessionId = session?.id ?? crypto.randomUUID();
  const record = new RunRecord({ sessionId, cwd, outputSchema });
  await listener.emit(record.header());
  for (const line of told?.warnings ?? []) listener.log(`tau: ${line}`);
  let chosen: ChosenModel;
  try {
    chosen = exchanges ? { model: REPLAY_MODEL } : chooseModel(
      options.model ?? session?.model ?? options.defaultModel,
      options.env,
      { needsKey: !options.source, providers: options.providers },
    );
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    record.facts.modelError = error;
    if (session) record.session = session.report();
    return record.finish();
  }
  if (options.maxBudgetUsd !== undefined && !exchanges) {
    chosen = { ...chosen, model: await pricedModel(chosen.model) };
  }
  if (chosen.warning) listener.log(`tau: ${chosen.warning}`);
  record.model = `${chosen.model.provider}/${chosen.model.id}`;
  session?.useModel(chosen.model, chosen.thinkingLevel);
  if (!session && options.session && !exchanges) {
    listener.log(
      "tau: The session is not stored: neither TAU_HOME nor HOME is an absolute path",
    );
  }
  const name = options.replay?.name ?? "";
  const source = async () =>
    exchanges
      ? replaySource(exchanges, { cwd, name })
      : options.source ?? await deltaSourceFor(chosen.model.api);

  try {
    const outputs = openOutputFolder(session?.outputs);
    try {
      await new KernelServer(options, {
        listener,
        record,
        chosen,
        source,
        outputDir: outputs.path,
        session,
        told,
      }).run();
    } finally {
      outputs.close();
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof UsageError) record.facts.usageError = message;
    else record.facts.internalError = message;
  }
  session?.flush();
  if (session) record.session = session.report();
  return await delivered(record, options.answerFile);
}

/** The record, with the answer of a run that completed in its file. */
async function delivered(
  record: RunRecord,
  answerFile: AnswerFile | undefined,
): Promise<RunResult> {
  const result = record.finish();
  if (!answerFile || result.status !== "completed") return result;
  try {
    await answerFile.write(answerOf(result));
    return result;
  } catch (error) {
    record.facts.internalError = error instanceof Error
      ? error.message
      : String(error);
    return record.finish();
  }
}

/** All that the model is told at first; undefined when that is the prompt alone. */
async function toldBy(
  { context, prompt, env }: RunOptions,
  cwd: string,
): Promise<ReadContext | undefined> {
  if (!context) return undefined;
  const homeDir = env.HOME ?? env.USERPROFILE;
  return await readContext({ ...context, prompt, cwd, homeDir });
}

function realFolder(path: string): string {
  let why = "not a folder";
  try {
    const real = Deno.realPathSync(path);
    // Through its own entry, which only who may enter it can look at.
    if (Deno.statSync(`${real}/.`).isDirectory) return real;
  } catch (error) {
    why = error instanceof Deno.errors.NotFound
      ? "no such folder"
      : error instanceof Deno.errors.PermissionDenied
      ? "permission denied"
      : error instanceof Deno.errors.NotADirectory
      ? "not a folder"
      : error instanceof Error
      ? error.message
      : String(error);
  }
  throw new UsageError(`Cannot work in "${path}": ${why}`);
}
