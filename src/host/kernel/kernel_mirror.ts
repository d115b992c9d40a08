import type { AgentMessage } from "../../agent/agent_message.ts";
import type { Model } from "../../model/model.ts";
import type {
  HostMessage,
  MirroredEntry,
  SessionState,
} from "../../protocol/kernel_messages.ts";
import type { MessageRef } from "../../protocol/kernel_protocol.ts";
import type { AgentSession } from "../../session/agent_session.ts";
import type { KernelPeer } from "./kernel_peer.ts";

/** An entry; a message has its number. */
export type NumberedEntry = MirroredEntry & { number?: number };

/** Parts of a {@linkcode KernelMirror}. */
export interface KernelMirrorParts {
  /** Entries that were stored before this program opened the session, without those under a summary. */
  history: readonly NumberedEntry[];
  tools: SessionState["tools"];
  /** The session's file; undefined where it is not stored. */
  sessionFile(): string | undefined;
  /** Number of the prompt that is being answered. */
  run(): number | null;
}

/** Characters of entries that may wait for a kernel to read them. */
const MAX_WAITING = 1024 * 1024;

/** Tells kernels of the session: all of it at first, then what is new. */
export class KernelMirror {
  readonly #parts: KernelMirrorParts;
  readonly #entries: NumberedEntry[];
  readonly #numbers = new WeakMap<AgentMessage, number>();
  readonly #messages = new Map<number, AgentMessage>();
  #told: Partial<SessionState> = {};
  /** The kernel that has been told all entries. */
  #opened: KernelPeer | undefined;
  #prompt: { text: string; of: unknown[] } = { text: "", of: [] };

  constructor(parts: KernelMirrorParts) {
    this.#parts = parts;
    this.#entries = [...parts.history];
    for (const entry of parts.history) this.#note(entry);
  }

  /** The number of a message that kernels know, else the message. */
  ref(message: AgentMessage): MessageRef {
    return this.#numbers.get(message) ?? message;
  }

  /** The message of a number that kernels know; undefined for any other. */
  resolve(ref: MessageRef): AgentMessage | undefined {
    if (typeof ref !== "number") return ref;
    return this.#messages.get(ref);
  }

  /** Adds an entry, and tells the kernel that has all before it, unless that brought it. */
  add(
    entry: NumberedEntry,
    peer: KernelPeer | undefined,
  ): void {
    this.#entries.push(entry);
    this.#note(entry);
    if (peer && peer === this.#opened) peer.send(toMessage(entry));
  }

  /** Gives a fresh kernel the session as it is, no faster than it reads. */
  async open(
    peer: KernelPeer,
    session: AgentSession,
    reason: "startup" | "resume",
  ): Promise<void> {
    this.#opened = undefined;
    // More may be added meanwhile.
    for (let at = 0; at < this.#entries.length; at++) {
      const entry = this.#entries[at] as NumberedEntry;
      const sent = peer.send(toMessage(entry));
      if (peer.waiting > MAX_WAITING) await sent;
    }
    this.#opened = peer;
    this.#told = {};
    this.flush(peer, session);
    peer.send({ type: "join", reason });
  }

  /** Tells the kernel what has changed since it was told last. */
  flush(peer: KernelPeer, session: AgentSession): void {
    if (peer !== this.#opened) return;
    const now = this.#state(session);
    const changed: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(now)) {
      const told = this.#told[name as keyof SessionState];
      if (told !== value && !isSameList(told, value)) changed[name] = value;
    }
    if (Object.keys(changed).length === 0) return;
    this.#told = now;
    peer.send({ type: "state", state: changed });
  }

  #note(entry: NumberedEntry): void {
    if (entry.type === "message" && entry.number !== undefined) {
      this.#numbers.set(entry.message, entry.number);
      this.#messages.set(entry.number, entry.message);
    }
  }

  #state(session: AgentSession): SessionState {
    const { model, thinkingLevel } = session.answers;
    return {
      model: this.#told.model && this.#model === model
        ? this.#told.model
        : withoutAccess(this.#model = model),
      thinkingLevel,
      run: this.#parts.run(),
      isRunning: session.isRunning,
      hasQueued: session.hasQueued,
      contextTokens: session.contextTokens,
      systemPrompt: this.#promptOf(session),
      activeTools: session.tools.activeNames,
      tools: this.#parts.tools,
      sessionFile: this.#parts.sessionFile() ?? null,
    };
  }

  #model: Model | undefined;

  /** Put together again only when it may be another one. */
  #promptOf(session: AgentSession): string {
    const of = [session.tools.snapshot(), session.isRunning, this.#parts.run()];
    if (of.every((one, at) => one === this.#prompt.of[at])) {
      return this.#prompt.text;
    }
    this.#prompt = { text: session.systemPrompt, of };
    return this.#prompt.text;
  }
}

/** A model without its address and headers, which may hold credentials. */
export function withoutAccess(
  { baseUrl: _, headers: __, ...model }: Model,
): SessionState["model"] {
  return model;
}

function toMessage(
  { number, ...entry }: NumberedEntry,
): HostMessage {
  return {
    type: "entry",
    entry: entry as MirroredEntry,
    ...(number === undefined ? {} : { number }),
  };
}

function isSameList(a: unknown, b: unknown): boolean {
  return Array.isArray(a) && Array.isArray(b) && a.length === b.length &&
    a.every((one, at) => one === b[at]);
}
