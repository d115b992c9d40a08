import type { AgentMessage } from "../agent/agent_message.ts";
import type { AssistantMessage } from "../model/message.ts";
import type { Model, ThinkingLevel } from "../model/model.ts";
import type { RunEvent } from "../protocol/event_schemas.ts";
import type { SessionHeader } from "../session/session_entry.ts";
import { tauHome } from "../settings/tau_home.ts";
import { UsageError } from "../settings/usage_error.ts";
import { readSession, SessionError } from "../store/read_session.ts";
import { SessionFile } from "../store/session_file.ts";
import { continuedSession, findSession } from "../store/session_list.ts";
import {
  newSessionPath,
  outputsFolder,
  sessionsFolder,
} from "../store/session_path.ts";
import { historyOf } from "./session_history.ts";

/** Which session a run belongs to. */
export interface SessionChoice {
  /** Goes on with an earlier one: the latest of the working folder, one by the beginning of its id, or one by its file. Default: begins one. */
  resume?: { latest: true } | { id: string } | { file: string } | undefined;
  /** Goes on with a copy and leaves the original as it is. */
  fork?: boolean | undefined;
}

type SessionEntry = SessionFile["entries"][number];

/** The stored session of a run. */
export class RunSession {
  readonly #file: SessionFile;
  /** Its messages so far, in the order in which they are numbered. */
  readonly messages: readonly AgentMessage[];
  /** The entry of each message, by the message's number. */
  readonly #messageIds: string[];
  #name: string | undefined;
  #choice: AnswerChoice;
  /** Calls of the last answer that have not ended. */
  #open = new Set<string>();
  /** Entries of results that were stored before their message came, by the call. */
  readonly #early = new Map<string, string>();

  /** Folder of the full outputs that the session names. */
  readonly outputs: { path: string; isStored(): boolean } | undefined;

  private constructor(file: SessionFile, home: string | undefined) {
    this.#file = file;
    const path = home && outputsFolder(home, file.header.id);
    this.outputs = path
      ? { path, isStored: () => this.report().stored }
      : undefined;
    const entries = file.entries.filter((entry) => entry.type === "message");
    this.messages = entries.map(({ message }) => message);
    this.#messageIds = entries.map(({ id }) => id);
    this.#choice = lastChoice(file.entries);
    this.#name = file.entries.findLast((entry) => entry.type === "session_info")
      ?.name;
  }

  /**
   * Opens the session of a run and locks it. Undefined where there is no place
   * for one. Throws {@linkcode UsageError} when the one that is asked for
   * cannot be had.
   */
  static open(
    choice: SessionChoice,
    surroundings: {
      cwd: string;
      env: Record<string, string>;
      warn(problem: string): void;
    },
  ): RunSession | undefined {
    try {
      const file = openFile(choice, surroundings);
      return file && new RunSession(file, tauHome(surroundings.env));
    } catch (error) {
      if (!(error instanceof SessionError)) throw error;
      throw new UsageError(error.message, { cause: error });
    }
  }

  /** The view that plugins in a kernel have of it. */
  get history(): ReturnType<typeof historyOf> {
    return historyOf(this.#file);
  }

  get id(): string {
    return this.#file.header.id;
  }

  /** Entries that were there when it was opened. */
  get entries(): readonly SessionEntry[] {
    return this.#file.entries;
  }

  /** The model that the session was with last, as `--model` names one. */
  get model(): string | undefined {
    const { model, level } = this.#choice;
    if (!model) return undefined;
    // With a level behind it nothing of the id itself is taken for one.
    return `${model.provider}/${model.modelId}:${level ?? "off"}`;
  }

  /** Name that the user gave it. */
  get name(): string | undefined {
    return this.#name;
  }

  /** Gives it another name. */
  rename(name: string): void {
    this.#file.append({ type: "session_info", name });
    this.#name = name;
  }

  /** Notes who answers from here on. */
  useModel({ provider, id }: Model, level: ThinkingLevel = "off"): void {
    const last = this.#choice;
    this.#choice = { model: { provider, modelId: id }, level };
    if (last.model?.provider !== provider || last.model.modelId !== id) {
      this.#file.append({ type: "model_change", provider, modelId: id });
    }
    if (last.level !== level) {
      this.#file.append({
        type: "thinking_level_change",
        thinkingLevel: level,
      });
    }
  }

  /** Stores what an event brings: messages, in the order of their numbers, and summaries. */
  note(event: RunEvent): void {
    switch (event.type) {
      case "message_end":
        this.#messageIds.push(this.#store(event.message));
        break;
      case "tool_execution_end":
        this.#storeEarly(event);
        break;
      case "custom_entry": {
        const { customType, data } = event;
        this.#file.append({
          type: "custom",
          customType,
          ...(data === undefined ? {} : { data }),
        });
        break;
      }
      case "compaction_end":
        if (event.result) this.#compact(event.result);
    }
  }

  #store(message: AgentMessage): string {
    if (message.role === "assistant") this.#open = callIds(message);
    if (message.role === "toolResult") {
      const id = this.#early.get(message.toolCallId);
      if (id !== undefined && this.#early.delete(message.toolCallId)) return id;
    }
    return this.#file.append({ type: "message", message });
  }

  /**
   * The result of a call beside which others still run: its message comes when
   * they have ended, which a crash may prevent. The last one's comes at once.
   */
  #storeEarly(event: RunEvent & { type: "tool_execution_end" }): void {
    const { toolCallId, toolName, result, isError, durationMs } = event;
    if (!this.#open.delete(toolCallId) || this.#open.size === 0) return;
    const { content, details, usage, addedToolNames } = result;
    const message: AgentMessage = {
      role: "toolResult",
      toolCallId,
      toolName,
      content,
      ...(details === undefined ? {} : { details }),
      ...(usage === undefined ? {} : { usage }),
      isError,
      ...(addedToolNames === undefined ? {} : { addedToolNames }),
      timestamp: Date.now(),
      ...(durationMs === undefined ? {} : { durationMs }),
    };
    const id = this.#file.append({ type: "message", message });
    this.#early.set(toolCallId, id);
  }

  #compact(
    { summary, firstKept, tokensBefore }: {
      summary: string;
      firstKept: number;
      tokensBefore: number;
    },
  ): void {
    const firstKeptEntryId = this.#messageIds[firstKept];
    if (firstKeptEntryId === undefined) return;
    this.#file.append({
      type: "compaction",
      summary,
      firstKeptEntryId,
      tokensBefore,
    });
  }

  /** The session's file, and true where all of it is there. */
  report(): { file?: string; stored: boolean } {
    return this.#file.report();
  }

  /** Writes what could not be written before, if it can. */
  flush(): void {
    this.#file.flush();
  }

  /** Lets others in. */
  close(): void {
    this.#file.close();
  }
}

function openFile(
  { resume, fork = false }: SessionChoice,
  { cwd, env, warn }: {
    cwd: string;
    env: Record<string, string>;
    warn(problem: string): void;
  },
): SessionFile | undefined {
  const home = tauHome(env);
  const folder = home && sessionsFolder(home);
  const newHeader: SessionHeader = {
    type: "session",
    version: 3,
    id: crypto.randomUUID(),
    timestamp: new Date().toISOString(),
    cwd,
  };
  const path = resume && pathOf(resume, { cwd, folder });
  if (path !== undefined && !fork) {
    const options = { newHeader, warn };
    return resume && "file" in resume
      ? SessionFile.openOrCreate(path, options)
      : SessionFile.open(path, options);
  }
  const copied = path === undefined ? undefined : readSession(path);
  if (!folder) return undefined;
  const header = path === undefined
    ? newHeader
    : { ...newHeader, parentSession: path };
  return SessionFile.create(newSessionPath(header, folder), {
    header,
    copied,
    warn,
  });
}

function pathOf(
  resume: NonNullable<SessionChoice["resume"]>,
  { cwd, folder }: { cwd: string; folder: string | undefined },
): string {
  if ("file" in resume) return absolute(resume.file);
  if ("id" in resume) return findSession(resume.id, folder);
  const path = folder === undefined ? undefined : continuedSession(cwd, folder);
  if (path !== undefined) return path;
  throw new SessionError(
    `There is no session of ${
      JSON.stringify(cwd)
    } to continue; without --continue a new one begins`,
  );
}

function absolute(path: string): string {
  return /^([/\\]|[A-Za-z]:)/.test(path) ? path : `${Deno.cwd()}/${path}`;
}

function callIds({ content }: AssistantMessage): Set<string> {
  return new Set(
    content.flatMap((block) => block.type === "toolCall" ? [block.id] : []),
  );
}

/** Model of a session. */
interface AnswerChoice {
  model?: { provider: string; modelId: string } | undefined;
  level?: ThinkingLevel | undefined;
}

function lastChoice(entries: readonly SessionEntry[]): AnswerChoice {
  return {
    model: entries.findLast((entry) => entry.type === "model_change"),
    level: entries.findLast((entry) => entry.type === "thinking_level_change")
      ?.thinkingLevel,
  };
}
