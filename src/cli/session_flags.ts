import type { SessionChoice } from "../host/run_session.ts";

/** Options that say which session a run belongs to. */
export interface SessionFlags {
  continue: boolean;
  resume?: string;
  session?: string;
  fork: boolean;
  "no-session": boolean;
}

/** How they are scanned. */
export const sessionFlags = {
  continue: {
    kind: "boolean",
    default: false,
    withNegated: false,
    brief: "go on with the latest session of the folder",
  },
  resume: {
    kind: "parsed",
    parse: parseSessionId,
    optional: true,
    brief: "go on with this session",
  },
  session: {
    kind: "parsed",
    parse: parseFile,
    optional: true,
    brief: "go on with, or begin, the session in this file",
  },
  fork: {
    kind: "boolean",
    default: false,
    withNegated: false,
    brief: "go on with a copy",
  },
  "no-session": {
    kind: "boolean",
    default: false,
    withNegated: false,
    brief: "store nothing",
  },
} as const;

/** Why these options, `--record` and `--replay` do not go together; undefined where they do. */
export function sessionConflict(
  flags: SessionFlags & { record?: string; replay?: string },
): string | undefined {
  const given = [
    ...(flags.continue ? ["--continue"] : []),
    ...(flags.resume === undefined ? [] : ["--resume"]),
    ...(flags.session === undefined ? [] : ["--session"]),
  ];
  const [first] = given;
  if (flags["no-session"]) given.push("--no-session");
  // A recording holds its conversation from the beginning on.
  if (first !== undefined && flags.record !== undefined) given.push("--record");
  if (first !== undefined && flags.replay !== undefined) given.push("--replay");
  if (given.length > 1) {
    return `Options ${given.join(" and ")} do not go together`;
  }
  return flags.fork && first === undefined
    ? "Option --fork copies a session: say which with --continue, --resume or --session"
    : undefined;
}

/** The session that a run belongs to; undefined where it is not stored. */
export function sessionChoice(flags: SessionFlags): SessionChoice | undefined {
  const { resume: id, session: file, fork } = flags;
  if (flags["no-session"]) return undefined;
  if (id !== undefined) return { resume: { id }, fork };
  if (file !== undefined) return { resume: { file }, fork };
  return flags.continue ? { resume: { latest: true }, fork } : {};
}

/** A session's id, or its beginning. */
function parseSessionId(text: string): string {
  if (/^[0-9a-f-]{4,36}$/i.test(text)) return text;
  throw new Error(
    "expected the id of a session, or its first characters; tau sessions list shows them",
  );
}

function parseFile(text: string): string {
  if (text !== "" && !text.includes("\0")) return text;
  throw new Error("expected a path");
}
