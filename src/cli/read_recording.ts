import type { RunOptions } from "../host/run.ts";
import { UsageError } from "../settings/usage_error.ts";
import type { RecordingFlags } from "./recording_flags.ts";

const MAX_RECORDING_BYTES = 64 * 1024 * 1024;

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
