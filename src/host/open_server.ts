import { type ReadContext, readContext } from "../context/read_context.ts";
import { deltaSourceFor } from "../providers/delta_source_for.ts";
import type { Confinement } from "./confinement.ts";
import { chooseModel, type ChosenModel } from "./choose_model.ts";
import { SessionHost } from "./session_host.ts";
import { openOutputFolder } from "./output_folder.ts";
import { pricedModel } from "./priced_model.ts";
import type { RunListener, RunOptions } from "./run_options.ts";
import type { RunRecord } from "./run_record.ts";
import type { RunSession } from "./run_session.ts";
import type { RunTape } from "./run_tape.ts";

/** Parts that a kernel serves, beside the options. */
export interface ServedSession {
  listener: RunListener;
  record: RunRecord;
  session: RunSession | undefined;
  told: ReadContext | undefined;
  confinement: Confinement;
  /** Records the run, or answers in place of a provider. */
  tape?: RunTape | undefined;
}

/** All that the model is told at first; undefined when that is the prompt alone. */
export async function toldBy(
  { context, prompt, env, plugins }: RunOptions,
  cwd: string,
): Promise<ReadContext | undefined> {
  // Plugins are waited for: what starts their kernel is loaded beside this.
  if (plugins) import("./session_kernels.ts").catch(() => {});
  if (!context) return undefined;
  const homeDir = env.HOME ?? env.USERPROFILE;
  return await readContext({ ...context, prompt, cwd, homeDir });
}

/** Source of the answers. Rejects with a `ModelError` where there is nobody, and with a `UsageError` for a model that cannot be meant. */
export async function answeringModel(
  options: RunOptions,
  { session, tape }: Pick<ServedSession, "session" | "tape">,
): Promise<ChosenModel> {
  if (tape?.chosen) return tape.chosen;
  const chosen = chooseModel(
    options.model ?? session?.model ?? options.defaultModel,
    options.env,
    { needsKey: !options.source, providers: options.providers },
  );
  return options.limits?.maxBudgetUsd === undefined
    ? chosen
    : { ...chosen, model: await pricedModel(chosen.model) };
}

/** Starts the kernel of a session. `close` ends it and all of its processes. */
export function openServer(
  options: RunOptions,
  chosen: ChosenModel,
  { listener, record, session, told, tape, confinement }: ServedSession,
): { server: SessionHost; close(): Promise<void> } {
  const { cwd } = record;
  if (chosen.warning) listener.log(`tau: ${chosen.warning}`);
  record.model = `${chosen.model.provider}/${chosen.model.id}`;
  session?.useModel(chosen.model, chosen.thinkingLevel);
  if (!session && options.session && !options.replay) {
    listener.log(
      "tau: The session is not stored: neither TAU_HOME nor HOME is an absolute path",
    );
  }
  const outputs = openOutputFolder(session?.outputs);
  const provider = async () =>
    options.source ?? await deltaSourceFor(chosen.model.api);
  try {
    const { env, providers } = options;
    tape?.begin(chosen, { cwd, outputDir: outputs.path, env, providers });
    const server = new SessionHost(options, {
      listener,
      record,
      chosen,
      source: () => tape ? tape.source(provider) : provider(),
      tape,
      outputDir: outputs.path,
      session,
      told,
      confinement,
    });
    server.start();
    return {
      server,
      async close() {
        try {
          await server.close();
        } finally {
          outputs.close();
        }
      },
    };
  } catch (error) {
    outputs.close();
    throw error;
  }
}
