import { listModels } from "../../host/list_models.ts";
import type { JsonValue } from "../../model/content.ts";
import { type AssistantMessage, textOf } from "../../model/message.ts";
import { isMessage } from "../../protocol/checks.ts";
import { readSession } from "../../store/read_session.ts";
import type { RpcServer } from "./rpc_server.ts";
import { sessionStats } from "./session_stats.ts";

/** A line that is an object. */
export type RpcCommand = Record<string, unknown>;

/** Why a command is refused. */
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
  (server: RpcServer, command: RpcCommand) => Answer
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
    const { entries } = readSession(storedFile(server), isMessage);
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

/** What answers a command, and whether others wait for it; undefined for what is none. */
export function rpcCommandOf(type: unknown): {
  answer: (server: RpcServer, command: RpcCommand) => Answer;
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
  { conversation }: RpcServer,
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

function storedFile({ conversation }: RpcServer): string {
  const { session: { file, stored } } = conversation.state;
  if (file !== undefined && stored) return file;
  throw new RpcCommandError("The session is not stored");
}
