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

/** Why these options do not go together; undefined where they do. */
export function recordingConflict(flags: RecordingFlags): string | undefined {
  if (flags.record !== undefined && flags.replay !== undefined) {
    return "Options --record and --replay do not go together";
  }
  return flags["replay-tools"] && flags.replay === undefined
    ? "Option --replay-tools needs a recording: name it with --replay FILE"
    : undefined;
}
