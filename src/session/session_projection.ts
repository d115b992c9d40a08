import type { AgentMessage } from "../agent/agent_message.ts";
import type { UserMessage } from "../model/message.ts";
import type { SessionEntry } from "./session_entry.ts";
import { summaryMessage } from "./summary_message.ts";

/** An entry and the one that it follows: a link to what was read, so that ids given twice make no circle. */
interface Node {
  entry: SessionEntry;
  parent: Node | undefined;
}

/** A message of the projection and the entry that it came from. */
interface Projected {
  entryId: string;
  message: AgentMessage;
}

/**
 * The messages of a stored session for the model: those on the way from the
 * first entry to the last one, after the latest compaction. It is fed each
 * entry once; one that follows the entry before it costs nothing for those
 * before, one that begins a branch costs the length of its path.
 *
 * An entry whose parent is not there (its line was damaged) follows the one
 * before it.
 */
export class SessionProjection {
  readonly #nodes = new Map<string, Node>();
  #leaf: Node | undefined;
  #projected: Projected[] = [];

  constructor(entries: Iterable<SessionEntry> = []) {
    for (const entry of entries) this.add(entry);
  }

  /** The transcript: the stored messages themselves, where no later entry changed them. */
  get messages(): AgentMessage[] {
    return this.#projected.map(({ message }) => message);
  }

  add(entry: SessionEntry): void {
    const leaf = this.#leaf;
    const parent = entry.parentId === null
      ? undefined
      : this.#nodes.get(entry.parentId) ?? leaf;
    const node = { entry, parent };
    this.#nodes.set(entry.id, node);
    this.#leaf = node;
    if (parent === leaf) this.#apply(entry);
    else this.#replay(node);
  }

  #replay(leaf: Node): void {
    const path: SessionEntry[] = [];
    for (let node: Node | undefined = leaf; node; node = node.parent) {
      path.push(node.entry);
    }
    this.#projected = [];
    for (const entry of path.reverse()) this.#apply(entry);
  }

  #apply(entry: SessionEntry): void {
    switch (entry.type) {
      case "message":
        this.#push(entry, entry.message);
        break;
      case "custom_message":
        this.#push(entry, fromUser(entry, entry.content));
        break;
      case "branch_summary":
        this.#push(entry, fromUser(entry, branchText(entry.summary)));
        break;
      case "compaction":
        this.#compact(entry);
        break;
      case "context_edit":
        this.#edit(entry);
        break;
    }
  }

  #push(entry: SessionEntry, message: AgentMessage): void {
    this.#projected.push({ entryId: entry.id, message });
  }

  #compact(entry: SessionEntry & { type: "compaction" }): void {
    const { systemMessage, summary, firstKeptEntryId } = entry;
    const before = this.#projected;
    const first = before.findIndex(({ entryId }) =>
      entryId === firstKeptEntryId
    );
    const cut = first === -1 ? before.length : first;
    const isSystem = ({ message }: Projected) => message.role === "system";
    // Without a copy of it, the prompt is what all system messages said.
    const kept = before.filter((one, index) =>
      isSystem(one) ? !systemMessage : index >= cut
    );
    const system = kept.filter(isSystem);
    this.#projected = system;
    if (systemMessage) this.#push(entry, systemMessage);
    this.#push(entry, summaryMessage(summary, timeOf(entry)));
    this.#projected.push(...kept.filter((one) => !isSystem(one)));
  }

  #edit({ targetId, replacement }: SessionEntry & { type: "context_edit" }) {
    const at = this.#projected.findIndex(({ entryId }) => entryId === targetId);
    const target = this.#projected[at];
    if (!target) return;
    if (replacement === null) {
      this.#projected.splice(at, 1);
    } else {
      const content = [{ type: "text", text: replacement }];
      const message = { ...target.message, content } as AgentMessage;
      this.#projected[at] = { ...target, message };
    }
  }
}

function fromUser(
  entry: SessionEntry,
  content: UserMessage["content"],
): UserMessage {
  return { role: "user", content, timestamp: timeOf(entry) };
}

function timeOf({ timestamp }: SessionEntry): number {
  return Date.parse(timestamp) || 0;
}

function branchText(summary: string): string {
  return `The following is a summary of a branch that this conversation came back from:\n\n<summary>\n${summary}\n</summary>`;
}
