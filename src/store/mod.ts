// Sessions as files: one line of JSON an entry, written as it comes, locked
// while a run appends. It knows no run, no terminal and no model.
export { readSession } from "./read_session.ts";
export type { StoredSession } from "./read_session.ts";
export { SessionError } from "./session_error.ts";
export { removeSession, SessionFile } from "./session_file.ts";
export { continuedSession, findSession, listSessions } from "./session_list.ts";
export type { SessionSummary } from "./session_list.ts";
export {
  idInName,
  newSessionPath,
  outputsFolder,
  sessionsFolder,
} from "./session_path.ts";
