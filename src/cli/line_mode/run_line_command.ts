import type {
  Conversation,
  ConversationOptions,
} from "../../host/conversation.ts";
import { effectivePermissions } from "../../host/effective_permissions.ts";
import type { SessionChoice } from "../../host/run_session.ts";
import { permissionsText } from "../permissions_command.ts";
import { terminalText } from "../terminal_text.ts";
import type { ConversationView, LineScreen } from "./conversation_view.ts";
import { helpLines, type LineCommand } from "./line_commands.ts";
import type { OpenWork } from "./open_work.ts";
import { otherSessions } from "./other_sessions.ts";
import type { TerminalDialogs } from "./terminal_dialogs.ts";

/** The conversation and the screen that commands act on. */
export interface CommandSurroundings {
  conversation: Conversation;
  options: Omit<ConversationOptions, "render" | "updates" | "mode">;
  /** `TAU_HOME`. */
  home: string | undefined;
  screen: LineScreen;
  view: ConversationView;
  dialogs: TerminalDialogs;
  work: OpenWork;
  /** Goes over to another session. */
  open(session: SessionChoice | undefined): Promise<void>;
  /** Ends the program. */
  quit(): void;
}

/** Does what a line with a slash asks for. Rejects with the reason why it cannot be done. */
export async function runLineCommand(
  { name, argument }: LineCommand,
  parts: CommandSurroundings,
): Promise<void> {
  switch (name) {
    case "help":
      return await showHelp(parts);
    case "quit":
      return parts.quit();
    case "session":
      return showSession(parts);
    case "model":
      return await useModel(argument, parts);
    case "compact":
      return await compact(argument, parts);
    case "reload":
      return await reload(parts);
    case "new":
      return await begin(parts);
    case "resume":
      return await resume(argument, parts);
    case "permissions":
      return await showPermissions(parts);
  }
}

async function showHelp(
  { conversation, screen }: CommandSurroundings,
): Promise<void> {
  const commands = await conversation.promptCommands();
  screen.print([...helpLines(commands).map(terminalText), ""]);
}

function showSession(
  { conversation, view }: CommandSurroundings,
): void {
  const { header, session, queue } = conversation.state;
  const place = session.stored && session.file !== undefined
    ? `stored in ${session.file}`
    : "not stored";
  view.note(`session ${header.id}, ${place}`);
  for (const text of [...queue.steering, ...queue.followUp]) {
    view.echo("»", text);
  }
}

async function useModel(
  name: string,
  { conversation, view }: CommandSurroundings,
): Promise<void> {
  if (name !== "") await conversation.useModel(name);
  const { model, thinkingLevel } = conversation.state;
  view.note(
    `model ${model}${
      thinkingLevel === "off" ? "" : `, thinking ${thinkingLevel}`
    }`,
  );
}

async function compact(
  instructions: string,
  { conversation, view, work }: CommandSurroundings,
): Promise<void> {
  const done = await work.do((signal) =>
    conversation.command({
      name: "compact",
      ...(instructions === "" ? {} : { instructions }),
    }, signal)
  );
  view.note(`summarised; it was about ${done?.tokensBefore} tokens long`);
}

async function reload(
  { conversation, view, work }: CommandSurroundings,
): Promise<void> {
  const done = await work.do(() => conversation.command({ name: "reload" }));
  const { loaded, failed } = (done ?? {}) as Record<string, string[]>;
  view.note(`plugins loaded: ${namesOf(loaded)}`);
  if (failed?.length) view.note(`plugins that failed: ${namesOf(failed)}`);
}

function namesOf(plugins: readonly string[] = []): string {
  return plugins.length === 0 ? "none" : plugins.join(", ");
}

async function begin(parts: CommandSurroundings): Promise<void> {
  if (isBusy(parts)) return;
  const isStored = parts.options.session !== undefined;
  await parts.open(isStored ? {} : undefined);
}

async function resume(
  wanted: string,
  parts: CommandSurroundings,
): Promise<void> {
  if (isBusy(parts)) return;
  const id = wanted === "" ? await chooseSession(parts) : wanted;
  if (id === undefined) return;
  // It is locked, by ourselves.
  if (id.length >= 4 && parts.conversation.state.header.id.startsWith(id)) {
    return parts.view.note(`session ${id} is already open`);
  }
  await parts.open({ resume: { id } });
}

function isBusy({ work, view }: CommandSurroundings): boolean {
  if (work.isBusy) view.note("a run is active: stop it with Ctrl-C first");
  return work.isBusy;
}

async function chooseSession(
  { conversation, home, view, dialogs }: CommandSurroundings,
): Promise<string | undefined> {
  const others = otherSessions(home, conversation.state);
  if (!others) {
    view.note("this folder has no other session");
    return undefined;
  }
  const never = new AbortController().signal;
  return others.idOf(await dialogs.ask(others.dialog, never));
}

async function showPermissions(
  { options, screen, work }: CommandSurroundings,
): Promise<void> {
  const lines: string[] = [];
  const found = await work.do(() =>
    effectivePermissions(
      { ...options, prompt: "", updates: false },
      { log: (line) => lines.push(line) },
    )
  );
  screen.print([
    ...lines.map(terminalText),
    ...permissionsText(found).split("\n"),
  ]);
}
