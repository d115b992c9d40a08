import type { ConversationOptions } from "../../host/conversation.ts";
import type { KernelProgram } from "../../host/kernel_program.ts";
import { proxySource } from "../../host/proxy_source.ts";
import type { PluginPlaces, RunOptions } from "../../host/run_options.ts";
import type { AnswerSchema } from "../../host/run_record.ts";
import type { SessionChoice } from "../../host/run_session.ts";
import { loadSettings } from "../../settings/load_settings.ts";
import type { Settings } from "../../settings/settings.ts";
import { tauHome } from "../../settings/tau_home.ts";
import { findProject, type Project } from "../../settings/trust.ts";
import { UsageError } from "../../settings/usage_error.ts";
import {
  type Option,
  type RunFlags,
  SESSION_RUN_OPTIONS,
} from "./option_table.ts";

const DEFAULT_CHECK_RETRIES = 2;
const MAX_RECORDING_BYTES = 64 * 1024 * 1024;
/** The model reads it before each answer. */
const MAX_SCHEMA_BYTES = 256 * 1024;

/** Options of a run that settings and options of the command line set. */
export interface Configuration {
  options: Omit<RunOptions, "prompt" | "updates" | "kernel" | "env">;
  /** Lines for stderr. */
  warnings: string[];
}

/**
 * Reads the settings of the user and, where it is trusted, of the project;
 * options of the command line go before both. Rejects with a {@linkcode UsageError}.
 */
export async function readConfiguration(
  flags: RunFlags,
  { env, attachments = [] }: {
    env: Record<string, string>;
    /** Paths of `@file` arguments. */
    attachments?: string[];
  },
): Promise<Configuration> {
  const home = tauHome(env);
  const project = findProject({
    cwd: realPath(flags.cd ?? "."),
    home,
    trust: flags.trust ? true : flags["no-trust"] ? false : undefined,
  });
  const { settings, rules, warnings } = await loadSettings(
    [home, project.folder].filter((folder) => folder !== undefined)
      .map((folder) => `${folder}/settings.json`),
  );
  const { defaultModel, providers, bash, compaction, sandbox } = settings;
  const { "allow-tool": allowed = [], "deny-tool": denied = [] } = flags;
  const { permissions, context, ...placed } = placedOptions(flags, settings);
  return {
    options: {
      cwd: ".",
      ...placed,
      defaultModel,
      providers,
      compaction,
      bashTimeoutMs: bash?.timeoutS && bash.timeoutS * 1000,
      permissions: { ...permissions, unixSockets: sandbox?.allowUnixSockets },
      rules: [...denied, ...allowed, ...rules],
      plugins: pluginPlaces(flags, { project, home }),
      context: {
        ...context,
        attachments,
        instructionFiles: !flags["no-context-files"],
        home,
        project: project.folder,
        isTrusted: project.isTrusted,
      },
    },
    warnings: project.notice ? [project.notice, ...warnings] : warnings,
  };
}

/** All options of a session, however it is shown. Rejects with a {@linkcode UsageError}. */
export async function sessionOptions(
  flags: RunFlags,
  { env, kernel, attachments = [] }: {
    env: Record<string, string>;
    kernel: KernelProgram;
    /** Paths of `@file` arguments. */
    attachments?: string[];
  },
): Promise<{
  options: Omit<ConversationOptions, "render" | "updates" | "mode">;
  /** Lines for stderr. */
  warnings: string[];
}> {
  const { options, warnings } = await readConfiguration(flags, {
    env,
    attachments,
  });
  const { check: command, "check-retries": retries = DEFAULT_CHECK_RETRIES } =
    flags;
  const schemaFile = flags["output-schema"];
  return {
    options: {
      ...options,
      goals: {
        check: command === undefined ? undefined : { command, retries },
        answerSchema: schemaFile === undefined
          ? undefined
          : await readAnswerSchema(schemaFile),
      },
      session: sessionChoice(flags),
      source: await proxySource(env),
      kernel,
      env,
    },
    warnings,
  };
}

/** The values of options and settings in the places that the table names. */
function placedOptions(
  flags: Record<string, unknown>,
  settings: Settings,
): Partial<RunOptions> {
  const placed: Record<string, unknown> = {};
  for (
    const [name, { target, setting }] of Object.entries<Option>(
      SESSION_RUN_OPTIONS,
    )
  ) {
    // A profile that writes nothing has tools of its own.
    const isSet = setting !== undefined &&
      !(setting === "tools" && flags.profile === "read-only");
    const value = flags[name] ??
      (isSet ? memberOf(settings, setting) : undefined);
    if (target === undefined || value === undefined) continue;
    const [key = "", member] = target.split(".");
    placed[key] = member === undefined
      ? value
      : { ...placed[key] as object, [member]: value };
  }
  return placed;
}

function memberOf(settings: Settings, path: string): unknown {
  return path.split(".").reduce<unknown>(
    (value, key) => (value as Record<string, unknown> | undefined)?.[key],
    settings,
  );
}

/** Places of the plugins of a run: those that are named, then the trusted project's, then the user's. Throws a {@linkcode UsageError}. */
function pluginPlaces(
  { plugin: named = [], "no-plugins": noPlugins, "plugin-flag": set = [] }:
    RunFlags,
  { project, home }: { project: Project; home: string | undefined },
): PluginPlaces | undefined {
  const folders = noPlugins ? [] : [project.folder, home]
    .filter((folder) => folder !== undefined)
    .map((folder) => absolute(`${folder}/plugins`));
  if (named.length + folders.length + set.length === 0) return undefined;
  const flagValues = Object.fromEntries(
    set.map(({ name, value }) => [name, value]),
  );
  return {
    paths: named.map((path) => namedPlugin(path, "load")),
    folders,
    isProjectTrusted: project.isTrusted(),
    ...(set.length === 0 ? {} : { flagValues }),
  };
}

/**
 * The real path of a plugin that was named: its imports are looked for from
 * there. Throws a {@linkcode UsageError} where there is none.
 */
export function namedPlugin(path: string, action: "load" | "check"): string {
  const what = `Cannot ${action} the plugin ${JSON.stringify(path)}`;
  let real: string;
  try {
    real = Deno.realPathSync(path);
  } catch (cause) {
    throw new UsageError(`${what}: ${reasonOf(cause)}`, { cause });
  }
  if (!real.includes(",")) return real;
  throw new UsageError(
    `${what}: Deno grants no path with a comma; move it, or rename its folder`,
  );
}

/** The session that a run belongs to; undefined where it is not stored. */
export function sessionChoice(flags: RunFlags): SessionChoice | undefined {
  const { resume: id, session: file, fork = false } = flags;
  if (flags["no-session"]) return undefined;
  if (id !== undefined) return { resume: { id }, fork };
  if (file !== undefined) return { resume: { file }, fork };
  return flags.continue ? { resume: { latest: true }, fork } : {};
}

/** Options of a run that writes or reads a recording. Rejects with a {@linkcode UsageError} for one that cannot be read. */
export async function recordingOptions(
  { record, replay: name, "replay-tools": tools }: RunFlags,
): Promise<Pick<RunOptions, "record" | "replay">> {
  if (name === undefined) return { record };
  try {
    const text = await readText(name, MAX_RECORDING_BYTES);
    return { replay: { text, name, tools } };
  } catch (cause) {
    const what = `Cannot read the recording ${JSON.stringify(name)}`;
    throw new UsageError(`${what}: ${reasonOf(cause)}`, { cause });
  }
}

/** The schema of `--output-schema`; loads what checks schemas and answers. Rejects with a {@linkcode UsageError}. */
export async function readAnswerSchema(path: string): Promise<AnswerSchema> {
  const { checkSchema } = await import("../../model/compile_schema.ts");
  const { readStructuredAnswer } = await import(
    "../../model/structured_answer.ts"
  );
  try {
    const schema: unknown = JSON.parse(await readText(path, MAX_SCHEMA_BYTES));
    if (typeof schema !== "object" || schema === null) {
      throw new UsageError("it is not a JSON object");
    }
    checkSchema(schema);
    return { schema, read: (answer) => readStructuredAnswer(answer, schema) };
  } catch (cause) {
    const what = `Cannot use the output schema ${JSON.stringify(path)}`;
    throw new UsageError(`${what}: ${reasonOf(cause)}`, { cause });
  }
}

async function readText(path: string, maxBytes: number): Promise<string> {
  const { isFile, size } = await Deno.stat(path);
  if (!isFile) throw new UsageError("it is not a regular file");
  if (size > maxBytes) {
    const kib = maxBytes / 1024;
    throw new UsageError(
      `it is larger than ${kib < 1024 ? `${kib} KiB` : `${kib / 1024} MiB`}`,
    );
  }
  return (await Deno.readTextFile(path)).replace(/^\ufeff/, "");
}

/** The reason for which a file cannot be used. */
function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "it does not exist";
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  if (error instanceof SyntaxError) return `not JSON: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

/** The folder as it is; a run that starts in a wrong one says so. */
function realPath(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    return path;
  }
}

function absolute(path: string): string {
  return path.startsWith("/") || /^[A-Za-z]:/.test(path)
    ? path
    : `${Deno.cwd()}/${path}`;
}
