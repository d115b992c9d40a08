import { ModelError } from "../model/model_error.ts";
import type { RunResult } from "../protocol/result_schema.ts";
import { answerOf } from "../protocol/run_result.ts";
import { UsageError } from "../settings/usage_error.ts";
import type { AnswerFile } from "./answer_file.ts";
import type { ChosenModel } from "./choose_model.ts";
import { confinementOf, SandboxUnavailableError } from "./confinement.ts";
import { answeringModel, openServer, toldBy } from "./open_server.ts";
import { realFolder } from "./real_folder.ts";
import { RunRecord } from "./run_record.ts";
import { RunSession } from "./run_session.ts";
import type { RunTape } from "./run_tape.ts";
import type { RunListener, RunOptions } from "./run_options.ts";

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
  let tape: RunTape | undefined;
  try {
    tape = await openTape(options);
    return await runIn(session, { cwd, options, listener, tape });
  } finally {
    session?.close();
    tape?.close();
  }
}

async function runIn(
  session: RunSession | undefined,
  { cwd, options, listener, tape }: {
    cwd: string;
    options: RunOptions;
    listener: RunListener;
    tape: RunTape | undefined;
  },
): Promise<RunResult> {
  const told = await toldBy(options, cwd);
  const sessionId = session?.id ?? crypto.randomUUID();
  const record = new RunRecord({
    sessionId,
    cwd,
    goals: options.goals,
    failOnDenied: options.failOnDenied,
  });
  const { sandbox: requested = "auto" } = options.permissions ?? {};
  record.sandbox = { requested, state: "unconfined" };
  await listener.emit(record.header());
  for (const line of told?.warnings ?? []) listener.log(`tau: ${line}`);
  let chosen: ChosenModel;
  try {
    chosen = await answeringModel(options, { session, tape });
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    record.facts.modelError = error;
    if (session) record.session = session.report();
    return record.finish();
  }
  try {
    const confinement = confinementOf(options, cwd);
    const served = { listener, record, session, told, tape, confinement };
    const { server, close } = openServer(options, chosen, served);
    try {
      await server.run(told?.prompt ?? options.prompt, {
        record,
        stop: listener.stop,
        timeoutMs: options.timeoutMs,
      });
    } finally {
      await close();
    }
    await server.checkControlFiles(record);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof UsageError) record.facts.usageError = message;
    else if (error instanceof SandboxUnavailableError) {
      record.facts.sandboxFailure = message;
      record.sandbox = { ...record.sandbox, reason: error.reason };
    } else record.facts.internalError = message;
  }
  record.facts.internalError ??= tape?.problem;
  session?.flush();
  if (session) record.session = session.report();
  return await delivered(record, options.answerFile);
}

/** Loaded only where it is wanted. */
async function openTape(options: RunOptions): Promise<RunTape | undefined> {
  if (!options.replay && options.record === undefined) return undefined;
  const { RunTape } = await import("./run_tape.ts");
  return await RunTape.open(options);
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
