import { UsageError } from "../settings/usage_error.ts";
import { isMessage } from "../protocol/checks.ts";
import { tauHome } from "../settings/tau_home.ts";
import { readSession } from "../store/read_session.ts";
import { SessionError } from "../store/session_error.ts";
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
import type { SessionsAction } from "./invocation.ts";
import type { Console } from "./console.ts";
import { sessionMarkdown } from "./session_markdown.ts";
import { jsonLine, terminalText } from "./terminal_text.ts";

/** `tau sessions …`: returns the exit code. Throws {@linkcode UsageError}. */
export async function sessionsCommand(
  action: SessionsAction,
  { console, env }: { console: Console; env: Record<string, string> },
): Promise<number> {
  const home = tauHome(env);
  if (home === undefined) {
    throw new UsageError("Neither TAU_HOME nor HOME says where sessions are");
  }
  const folder = sessionsFolder(home);
  try {
    const text = await resultOf(action, { home, folder });
    const isForTerminal = console.stdoutIsTerminal ||
      action.action === "list" && !action.json;
    console.stdout.write(isForTerminal ? terminalText(text) : text);
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
  return await console.settle(0);
}

function resultOf(
  action: SessionsAction,
  { home, folder }: { home: string; folder: string },
): string {
  switch (action.action) {
    case "list": {
      const sessions = listSessions(folder);
      return action.json ? sessions.map(jsonLine).join("") : table(sessions);
    }
    case "show":
    case "export": {
      const stored = readSession(findSession(action.id, folder), isMessage);
      return sessionMarkdown(stored, { isWhole: action.action === "export" });
    }
    case "rm": {
      const files = action.ids.map((id) => findSession(id, folder));
      for (const file of new Set(files)) {
        removeSession(file);
        removeOutputs(file, home);
      }
      return "";
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
