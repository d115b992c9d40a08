import { isCredentialHeader } from "../model/credential_header.ts";
import type { JsonObject } from "../model/content.ts";
import type { DeltaSource } from "../model/stream.ts";
import { NeutralText, type Surroundings } from "./recording/neutral_text.ts";
import { secretForms, secretValues } from "../policy/secret_values.ts";
import type { RunEvent } from "../protocol/event_schemas.ts";
import type { ProviderSettings } from "../settings/settings.ts";
import { tauHome } from "../settings/tau_home.ts";
import type { ChosenModel } from "./choose_model.ts";
import { CHECK_ID } from "./recorded_calls.ts";
import { Recorder } from "./recorder.ts";
import { parseRecording, type Recording } from "./recording.ts";
import { Replay } from "./replay.ts";

/** Tape of a run: it writes a recording, or answers from one. */
export interface TapeOptions {
  /** The file to write. */
  record?: string | undefined;
  /** Answers requests; with `tools` also calls, which are not run then. */
  replay?:
    | { text: string; name: string; tools?: boolean | undefined }
    | undefined;
}

/** Parts of a run that must not be told, or differ from run to run. */
export interface TapeSurroundings {
  cwd: string;
  outputDir: string;
  env: Record<string, string>;
  providers?: Record<string, ProviderSettings> | undefined;
}

/** Stands between a run and those who answer it, as a recorder or as a recording. */
export class RunTape {
  readonly #recorder: Recorder | undefined;
  readonly #recording: Recording | undefined;
  #replay: Replay | undefined;

  private constructor(
    { recorder, recording }: { recorder?: Recorder; recording?: Recording },
  ) {
    this.#recorder = recorder;
    this.#recording = recording;
  }

  /** Throws a `UsageError` for a file that cannot be written, or is no recording. */
  static async open({ record, replay }: TapeOptions): Promise<RunTape> {
    return replay
      ? new RunTape({
        recording: await parseRecording(replay.text, replay.name),
      })
      : new RunTape(
        record === undefined ? {} : { recorder: Recorder.open(record) },
      );
  }

  /** The model of the recording that answers. */
  get chosen(): ChosenModel | undefined {
    if (!this.#recording) return undefined;
    const { name, model, thinkingLevel, isCut } = this.#recording;
    return {
      model,
      ...(thinkingLevel ? { thinkingLevel } : {}),
      ...(isCut
        ? {
          warning:
            `The last line of "${name}" is not whole and left out: the run that it recorded was killed`,
        }
        : {}),
    };
  }

  /** Says what the run is. Before anything below is called. */
  begin(chosen: ChosenModel, surroundings: TapeSurroundings): void {
    const known = neutralised(chosen, surroundings);
    const neutral = () => new NeutralText(known);
    if (this.#recording) {
      this.#replay = new Replay(this.#recording, neutral);
    }
    const { model, thinkingLevel } = chosen;
    this.#recorder?.begin({
      model,
      neutral,
      ...(thinkingLevel ? { thinkingLevel } : {}),
    });
  }

  /** Returns the source of answers; `provider` is not called where the recording answers. */
  async source(provider: () => Promise<DeltaSource>): Promise<DeltaSource> {
    if (this.#replay) return this.#replay.source();
    const source = await provider();
    return this.#recorder ? this.#recorder.recorded(source) : source;
  }

  /** Hears every event of the run. */
  note(event: RunEvent): void {
    this.#recorder?.note(event);
    this.#replay?.note(event);
  }

  /** The recorded result of a call that has started, or of the check that has; a text that says why there is none. */
  resultOf(callId: string = CHECK_ID): JsonObject | string {
    return this.#replay?.resultOf(callId) ?? "Nothing is replayed";
  }

  /** Reason why the recording is not whole, if it is not. */
  get problem(): string | undefined {
    return this.#recorder?.problem;
  }

  close(): void {
    this.#recorder?.close();
  }
}

function neutralised(
  { model, apiKey }: ChosenModel,
  { cwd, outputDir, env, providers = {} }: TapeSurroundings,
): Surroundings {
  const keyNames = Object.values(providers)
    .flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []);
  const headers = [model, ...Object.values(providers)].flatMap((
    { headers = {} },
  ) =>
    Object.entries(headers).filter(([name]) => isCredentialHeader(name))
      .flatMap(([, value]) => [value, ...value.split(/\s+/).slice(1)])
  );
  const isWindows = Deno.build.os === "windows";
  return {
    cwd,
    outputDir,
    homeDir: pathsOf(env.HOME ?? env.USERPROFILE),
    tauHome: pathsOf(tauHome(env)),
    // A sandbox has its own, in this place.
    tempDirs: pathsOf(
      isWindows ? undefined : "/tmp",
      env.TMPDIR,
      env.TMP,
      env.TEMP,
    ),
    secrets: [
      ...secretValues(env, keyNames),
      ...[apiKey ?? "", ...headers].filter((secret) => secret.length >= 6),
    ].flatMap(secretForms),
  };
}

/** Folders by their names, and behind them by their real paths where those are others. A relative one says nothing. */
function pathsOf(...folders: (string | undefined)[]): string[] {
  const named = folders.filter((path) => path !== undefined)
    .filter((path) => /^([/\\]|[A-Za-z]:)/.test(path));
  const real = named.flatMap((path) => {
    try {
      return [Deno.realPathSync(path)];
    } catch {
      // It is not there, or not ours.
      return [];
    }
  });
  return [...new Set([...named, ...real])];
}
