import type {
  Conversation,
  ConversationOptions,
} from "../../host/conversation.ts";
import { listModels } from "../../host/list_models.ts";
import type { SessionChoice } from "../../host/run_session.ts";
import type { JsonValue } from "../../model/content.ts";
import { type AssistantMessage, textOf } from "../../model/message.ts";
import { readSession } from "../../store/read_session.ts";
import { sessionStats } from "./session_stats.ts";

/** A line that is an object. */
export type RpcCommand = Record<string, unknown>;

/** The session that commands act on. */
export interface RpcSession {
  readonly options: Pick<ConversationOptions, "env" | "providers">;
  readonly conversation: Conversation;
  /** Accepts a prompt. */
  prompt(
    command: RpcCommand,
  ): Promise<{ disposition: "started" | "queued" }>;
  /** Hands a message to the active run; begins one where none is active. */
  queue(type: "steer" | "follow_up", command: RpcCommand): Promise<void>;
  /** Stops the run; what is queued goes on after it. */
  abort(): Promise<void>;
  /** Runs a command of the user. */
  shell(command: RpcCommand): Promise<JsonValue>;
  /** Stops the commands of the user. */
  abortShell(): void;
  /** Goes over to another session. */
  switchTo(session: SessionChoice): Promise<void>;
}

/** A command is refused; the message says why. */
export class RpcCommandError extends Error {}

type Answer = JsonValue | void | Promise<JsonValue | void>;

/** Longest name of a session. */
const MAX_NAME = 200;

/** Commands that are answered when they are through, beside others. */
const LONG: ReadonlySet<string> = new Set([
  "bash",
  "compact",
  "abort",
  "reload",
  "get_commands",
]);

const COMMANDS: Record<
  string,
  (server: RpcSession, command: RpcCommand) => Answer
> = {
  prompt: (server, command) => server.prompt(command),
  steer: (server, command) => server.queue("steer", command),
  follow_up: (server, command) => server.queue("follow_up", command),
  abort: (server) => server.abort(),
  clear_queue: async ({ conversation }) =>
    await conversation.command({ name: "clear_queue" }) ?? null,
  bash: (server, command) => server.shell(command),
  abort_bash: (server) => server.abortShell(),
  compact: async ({ conversation }, command) => {
    const { customInstructions: instructions } = command;
    return await conversation.command({
      name: "compact",
      ...(typeof instructions === "string" ? { instructions } : {}),
    }) ?? null;
  },
  reload: async ({ conversation }) =>
    await conversation.command({ name: "reload" }) ?? null,

  new_session: async (server) => {
    await server.switchTo({});
    return { cancelled: false };
  },
  switch_session: async (server, command) => {
    await server.switchTo({ resume: { file: textIn(command, "sessionPath") } });
    return { cancelled: false };
  },
  clone: async (server) => {
    await server.switchTo({
      resume: { file: storedFile(server) },
      fork: true,
    });
    return { cancelled: false };
  },
  set_session_name: ({ conversation }, command) => {
    const name = textIn(command, "name").trim();
    if (name === "" || name.length > MAX_NAME) {
      throw new RpcCommandError(`name: expected 1 to ${MAX_NAME} characters`);
    }
    conversation.rename(name);
  },

  get_state: ({ conversation }) => {
    const { header, name, session, queue, isRunning, model, thinkingLevel } =
      conversation.state;
    return {
      model,
      thinkingLevel,
      isStreaming: isRunning,
      sessionId: header.id,
      ...(name === undefined ? {} : { sessionName: name }),
      ...(session.file === undefined ? {} : { sessionFile: session.file }),
      messageCount: conversation.messages.length,
      pendingMessageCount: queue.steering.length + queue.followUp.length,
    };
  },
  get_messages: ({ conversation }) => ({
    messages: conversation.messages as unknown as JsonValue,
  }),
  get_entries: (server) => {
    const { entries } = readSession(storedFile(server));
    return {
      entries: entries as unknown as JsonValue,
      leafId: entries.at(-1)?.id ?? null,
    };
  },
  get_last_assistant_text: ({ conversation }) => ({
    text: textOf(
      conversation.messages.findLast((message): message is AssistantMessage =>
        message.role === "assistant"
      )?.content ?? [],
    ),
  }),
  get_session_stats: ({ conversation }) => ({
    sessionId: conversation.state.header.id,
    ...sessionStats(conversation.messages),
  }),
  get_commands: async ({ conversation }) => ({
    commands: await conversation.promptCommands() as unknown as JsonValue,
  }),

  get_available_models: async ({ options: { env, providers } }) => ({
    models: await listModels({ env, providers }) as unknown as JsonValue,
  }),
  set_model: async ({ conversation }, command) => {
    const provider = textIn(command, "provider");
    const modelId = textIn(command, "modelId");
    // With a level behind it nothing of the id itself is taken for one.
    const { thinkingLevel } = conversation.state;
    await conversation.useModel(`${provider}/${modelId}:${thinkingLevel}`);
    return { model: conversation.state.model };
  },
  get_available_thinking_levels: ({ conversation }) => ({
    levels: conversation.state.thinkingLevels,
  }),
  set_thinking_level: (server, command) =>
    setThinkingLevel(server, textIn(command, "level")),
  cycle_thinking_level: (server) => {
    const { thinkingLevel, thinkingLevels } = server.conversation.state;
    const next = thinkingLevels.indexOf(thinkingLevel) + 1;
    return setThinkingLevel(
      server,
      thinkingLevels[next % thinkingLevels.length] ?? "off",
    );
  },
};

/** The function that answers a command, and whether others wait for it; undefined for an unknown one. */
export function rpcCommandOf(type: unknown): {
  answer: (server: RpcSession, command: RpcCommand) => Answer;
  isLong: boolean;
} | undefined {
  if (typeof type !== "string") return undefined;
  const answer = Object.hasOwn(COMMANDS, type) ? COMMANDS[type] : undefined;
  return answer && { answer, isLong: LONG.has(type) };
}

/** A field that must be there. Throws {@linkcode RpcCommandError}. */
export function textIn(command: RpcCommand, name: string): string {
  const value = command[name];
  if (typeof value === "string" && value !== "") return value;
  throw new RpcCommandError(`${name}: expected a string that is not empty`);
}

async function setThinkingLevel(
  { conversation }: RpcSession,
  level: string,
): Promise<JsonValue> {
  const { model, thinkingLevels } = conversation.state;
  if (!thinkingLevels.includes(level)) {
    throw new RpcCommandError(
      `level: expected one of ${thinkingLevels.join(", ")}`,
    );
  }
  await conversation.useModel(`${model}:${level}`);
  return { thinkingLevel: conversation.state.thinkingLevel };
}

function storedFile({ conversation }: RpcSession): string {
  const { session: { file, stored } } = conversation.state;
  if (file !== undefined && stored) return file;
  throw new RpcCommandError("The session is not stored");
}
