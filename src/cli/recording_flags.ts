import { type RunOptions, UsageError } from "../host/mod.ts";
import { parseFileName } from "./option_values.ts";

/** Options that say what a run does with a recording. */
export interface RecordingFlags {
  record?: string;
  replay?: string;
  "replay-tools"?: boolean;
}

/** How they are scanned. */
export const recordingFlags = {
  record: {
    kind: "parsed",
    parse: parseFileName,
    optional: true,
    brief: "record requests, answers and results",
  },
  replay: {
    kind: "parsed",
    parse: parseFileName,
    optional: true,
    brief: "answer from a recording",
  },
  "replay-tools": {
    kind: "boolean",
    optional: true,
    withNegated: false,
    brief: "take the results of tools from it, too",
  },
} as const;

const MAX_RECORDING_BYTES = 64 * 1024 * 1024;

/** Why these options do not go together; undefined where they do. */
export function recordingConflict(flags: RecordingFlags): string | undefined {
  if (flags.record !== undefined && flags.replay !== undefined) {
    return "Options --record and --replay do not go together";
  }
  return flags["replay-tools"] && flags.replay === undefined
    ? "Option --replay-tools needs a recording: name it with --replay FILE"
    : undefined;
}

/** What a run does with a recording. Rejects with a {@linkcode UsageError} for one that cannot be read. */
export async function recordingChoice(
  { record, replay: path, "replay-tools": tools }: RecordingFlags,
): Promise<Pick<RunOptions, "record" | "replay">> {
  if (path === undefined) return { record };
  try {
    const { isFile, size } = await Deno.stat(path);
    if (!isFile) throw new UsageError("not a file");
    if (size > MAX_RECORDING_BYTES) throw new UsageError("larger than 64 MiB");
    const text = await Deno.readTextFile(path);
    return { replay: { text, name: path, tools } };
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
