import type { ConversationState } from "../../host/conversation.ts";
import type { Dialog } from "../../protocol/kernel_protocol.ts";
import { listSessions } from "../../store/session_list.ts";
import { sessionsFolder } from "../../store/session_path.ts";

const MAX_SHOWN = 20;

/** The sessions of a folder besides the one that is open, as a question; undefined where there are none. */
export function otherSessions(
  home: string | undefined,
  { header: { cwd, id: current } }: Pick<ConversationState, "header">,
): { dialog: Dialog; idOf(answer: unknown): string | undefined } | undefined {
  const sessions = home === undefined ? [] : listSessions(sessionsFolder(home))
    .filter((one) => one.cwd === cwd && one.id !== current)
    .slice(0, MAX_SHOWN);
  if (sessions.length === 0) return undefined;
  const options = sessions.map(({ id, firstText }) =>
    `${id.slice(0, 8)}  ${firstText}`
  );
  return {
    dialog: { kind: "select", title: "Go on with which session?", options },
    idOf: (answer) => sessions[options.indexOf(String(answer))]?.id,
  };
}
