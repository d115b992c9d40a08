import { UsageError } from "../settings/usage_error.ts";
import { tauHome } from "../settings/tau_home.ts";
import { readSession, SessionError } from "../store/read_session.ts";
import { removeSession } from "../store/session_file.ts";
import {
  findSession,
  listSessions,
  type SessionSummary,
} from "../store/session_list.ts";
import {
  idInName,
  outputsFolder,
  sessionsFolder,
} from "../store/session_path.ts";
import type { CommandLine } from "./options/command_table.ts";
import type { Surroundings } from "./program.ts";
import { sessionMarkdown } from "./session_markdown.ts";
import { jsonLine, terminalText } from "./terminal_text.ts";

/** `tau sessions …`: returns the exit code. Throws {@linkcode UsageError}. */
export async function sessionsCommand(
  { words: [action = "", ...ids], given: { json } }: CommandLine<"sessions">,
  { console, env }: Surroundings,
): Promise<number> {
  const home = tauHome(env);
  if (home === undefined) {
    throw new UsageError(
      "No folder for sessions: set TAU_HOME or HOME to an absolute path",
    );
  }
  const folder = sessionsFolder(home);
  try {
    const text = resultOf(action, ids, { home, folder, json });
    const isForTerminal = console.stdoutIsTerminal ||
      action === "list" && !json;
    console.stdout.write(isForTerminal ? terminalText(text) : text);
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
  return await console.settle(0);
}

function resultOf(
  action: string,
  ids: readonly string[],
  { home, folder, json }: {
    home: string;
    folder: string;
    json: boolean | undefined;
  },
): string {
  const [id = ""] = ids;
  switch (action) {
    case "show":
    case "export": {
      const stored = readSession(findSession(id, folder));
      return sessionMarkdown(stored, { isWhole: action === "export" });
    }
    case "rm": {
      for (const file of new Set(ids.map((id) => findSession(id, folder)))) {
        removeSession(file);
        removeOutputs(file, home);
      }
      return "";
    }
    default: {
      const sessions = listSessions(folder);
      return json ? sessions.map(jsonLine).join("") : table(sessions);
    }
  }
}

function removeOutputs(file: string, home: string): void {
  const folder = outputsFolder(home, idInName(file) ?? "");
  try {
    if (folder) Deno.removeSync(folder, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

const ID_LENGTH = 8;
const TEXT_LENGTH = 60;

function table(sessions: readonly SessionSummary[]): string {
  return sessions.map(({ id, changedAt, cwd, firstText }) => {
    const time = changedAt.slice(0, 16).replace("T", " ");
    const text = firstText.slice(0, TEXT_LENGTH);
    // A name may hold a line break.
    const place = cwd.replaceAll(/\s/g, " ");
    return `${id.slice(0, ID_LENGTH)}  ${time}  ${place}  ${text}\n`;
  }).join("");
}
