import { abortReason } from "../model/abort_reason.ts";
import type { AgentMessage } from "../agent/agent_message.ts";
import { READING_TOOLS } from "../policy/built_in_tools.ts";
import type {
  HostMessage,
  MirroredEntry,
  SessionState,
} from "../protocol/kernel_messages.ts";
import type { MessageRef } from "../protocol/kernel_protocol.ts";

/**
 * A kernel's copy of the session: what the host says of it, and what plugins
 * have done to it since. Nothing here decides anything: the host judges.
 */
export class SessionMirror {
  readonly #entries: MirroredEntry[] = [];
  readonly #messages = new Map<number, AgentMessage>();
  readonly #numbers = new WeakMap<AgentMessage, number>();
  #state: SessionState | undefined;
  #run: AbortController | undefined;
  #idle = Promise.withResolvers<void>();

  /** Throws before the session has begun. */
  get state(): SessionState {
    if (this.#state) return this.#state;
    throw new Error("The session has not begun yet");
  }

  /** Aborts when the run is stopped; undefined between two. */
  get signal(): AbortSignal | undefined {
    return this.#run?.signal;
  }

  /** Entries of the session, plugins' own ones among them. */
  get entries(): readonly MirroredEntry[] {
    return this.#entries;
  }

  take(
    message: Extract<HostMessage, { type: "entry" | "state" | "cancel_run" }>,
  ): void {
    if (message.type === "entry") {
      const { entry, number } = message;
      this.#entries.push(entry);
      if (entry.type !== "message" || number === undefined) return;
      this.#messages.set(number, entry.message);
      this.#numbers.set(entry.message, number);
    } else if (message.type === "state") {
      this.#take(message.state);
    } else {
      this.#run?.abort(abortReason());
    }
  }

  /** Adds an entry of a plugin; the host stores it. */
  add(entry: MirroredEntry): void {
    this.#entries.push(entry);
  }

  /** The message that a number or a value stands for. */
  resolve(ref: MessageRef): AgentMessage {
    if (typeof ref !== "number") return ref;
    const message = this.#messages.get(ref);
    if (message) return message;
    throw new Error(`The host named message ${ref}, which it never sent`);
  }

  /** The number of a message where it has one, else the message. */
  ref(message: AgentMessage): MessageRef {
    return this.#numbers.get(message) ?? message;
  }

  /** Has these tools active, of those that there are and that may be. */
  activate(names: readonly string[], known: ReadonlySet<string>): void {
    const activeTools = [...new Set(names)].filter((name) => known.has(name));
    this.#state = { ...this.state, activeTools };
  }

  /** True where a tool may be active. */
  isAllowed(
    name: string,
    { isBuiltIn, isOverridden }: { isBuiltIn: boolean; isOverridden: boolean },
  ): boolean {
    const { allowed, excluded, startable } = this.state.tools;
    if (excluded.includes(name)) return false;
    if (allowed) return allowed.includes(name);
    return !isBuiltIn || isOverridden || startable.includes(name) ||
      READING_TOOLS.includes(name);
  }

  /** A message waits in a queue now. */
  noteQueued(): void {
    this.#state = { ...this.state, hasQueued: true };
  }

  /** Resolves when no run goes on. */
  async waitForIdle(): Promise<void> {
    while (this.state.isRunning) await this.#idle.promise;
  }

  #take(changed: Partial<SessionState>): void {
    const before = this.#state;
    this.#state = { ...before, ...changed } as SessionState;
    const { run, isRunning } = this.#state;
    if (run === null) this.#run = undefined;
    else if (run !== before?.run) this.#run = new AbortController();
    if (before?.isRunning && !isRunning) {
      this.#idle.resolve();
      this.#idle = Promise.withResolvers();
    }
  }
}
