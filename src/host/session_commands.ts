import { abortReason } from "../model/abort_reason.ts";
import type { JsonObject, UserContent } from "../model/content.ts";
import { withoutUndefined } from "../model/without_undefined.ts";
import type { ShellUpdateEvent } from "../protocol/event_schemas.ts";
import type { AgentSession } from "../session/agent_session.ts";
import type { KernelSession } from "./kernel/kernel_session.ts";
import {
  type BashRunner,
  userShell,
  type UserShellResult,
} from "./user_shell.ts";

/** Commands to a session beside its runs. */
export type SessionCommand =
  /** Forgets what is queued: `{ steering, followUp }`, lists of texts. */
  | { name: "clear_queue" }
  /** Queues what the user says for before the next request of the run. */
  | { name: "steer"; content: string | UserContent[] }
  /** Queues what the user says for when the run would end. */
  | { name: "follow_up"; content: string | UserContent[] }
  /**
   * Runs a command of the user with the rights of the bash tool: `{ output,
   * exitCode, cancelled, truncated, fullOutputPath? }`. What it prints is told
   * by events `shell_update` with that id, and joins the conversation, unless
   * it is to stay out of it.
   */
  | { name: "shell"; command: string; isPrivate: boolean; id?: string }
  /** Replaces the first part of the conversation by a summary: `{ tokensBefore }`. */
  | { name: "compact"; instructions?: string | undefined }
  /** Loads plugins anew whose files have changed: `{ loaded, failed }`, lists of names. */
  | { name: "reload" }
  /** The commands of plugins: `{ commands }`, a list of `{ name, description? }`. */
  | { name: "list_commands" };

/** Parts of {@linkcode SessionCommands}. */
export interface SessionCommandsParts {
  cwd: string;
  /** Plugins and tools of the kernels; undefined where none was needed. */
  served(): KernelSession | undefined;
  /** True where plugins were looked for. */
  hasPlugins: boolean;
  isRunning(): boolean;
  /** Resolves when the run that goes on has ended. */
  idle(): Promise<void>;
  /** Runs commands of the user. */
  bash: BashRunner;
  report(event: ShellUpdateEvent): void;
  /** Returns the user's words as plugins leave them; undefined when one has dealt with them. */
  heard(
    content: string | UserContent[],
    source: "steer" | "follow_up",
  ): Promise<string | UserContent[] | undefined>;
}

/** Does what a user wants of a session beside its runs. */
export class SessionCommands {
  readonly #parts: SessionCommandsParts;
  /** A summary that is being made; no run begins beside it. */
  #compacting: { abort: AbortController; done: Promise<unknown> } | undefined;
  /** Plugins that are being loaded anew; no run begins beside it. */
  #reloading: Promise<unknown> | undefined;

  constructor(parts: SessionCommandsParts) {
    this.#parts = parts;
  }

  /** Resolves when a run may begin. */
  async settled(): Promise<void> {
    await this.#compacting?.done.catch(() => {});
    await this.#reloading?.catch(() => {});
  }

  /** Ends a summary that is being made. */
  abort(reason: unknown): void {
    this.#compacting?.abort.abort(reason);
  }

  /** Rejects with what is wrong. */
  async run(
    session: AgentSession,
    command: SessionCommand,
    signal?: AbortSignal,
  ): Promise<JsonObject | undefined> {
    switch (command.name) {
      case "steer":
      case "follow_up": {
        const { name, content } = command;
        const said = await this.#parts.heard(content, name);
        if (said === undefined) return undefined;
        if (name === "steer") await session.steer(said);
        else await session.followUp(said);
        return undefined;
      }
      case "clear_queue":
        return { ...await session.clearQueue() };
      case "shell":
        return await this.#shell(session, command, signal);
      case "compact":
        return await this.#compact(session, command.instructions, signal);
      case "reload":
        return await this.#reload();
      case "list_commands":
        return { commands: this.#parts.served()?.declaration?.commands ?? [] };
    }
  }

  async #compact(
    session: AgentSession,
    instructions: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<JsonObject> {
    if (this.#parts.isRunning()) {
      throw new Error("Wait until the run has ended");
    }
    if (this.#compacting) throw new Error("A summary is being made already");
    const abort = new AbortController();
    const onAbort = () => abort.abort(abortReason());
    signal?.addEventListener("abort", onAbort, { once: true });
    const done = session.compact(instructions, abort.signal);
    this.#compacting = { abort, done };
    try {
      const { tokensBefore } = await done;
      return { tokensBefore };
    } finally {
      signal?.removeEventListener("abort", onAbort);
      this.#compacting = undefined;
    }
  }

  /** Makes a summary as soon as no run goes on. Never rejects. */
  async compactWhenIdle(
    session: AgentSession,
    instructions: string | undefined,
  ): Promise<void> {
    while (session.isRunning) await this.#parts.idle();
    // An event tells why there is no summary.
    await session.compact(instructions).catch(() => {});
  }

  async #reload(): Promise<JsonObject> {
    const served = this.#parts.served();
    if (!this.#parts.hasPlugins || !served) {
      throw new Error(
        "This session began without plugins; another one takes up those that are there now",
      );
    }
    if (this.#parts.isRunning()) {
      throw new Error(
        "Wait for the current response to finish before reloading.",
      );
    }
    if (this.#compacting) {
      throw new Error("Wait for compaction to finish before reloading.");
    }
    const reloading = served.reload();
    this.#reloading = reloading;
    try {
      return await reloading;
    } finally {
      if (this.#reloading === reloading) this.#reloading = undefined;
    }
  }

  async #shell(
    session: AgentSession,
    { command, isPrivate, id }: SessionCommand & { name: "shell" },
    given: AbortSignal | undefined,
  ): Promise<JsonObject> {
    const signal = given ?? new AbortController().signal;
    const replaced = await this.#userBash(command, isPrivate);
    const result = replaced ?? await userShell(this.#parts.bash)(command, {
      signal,
      onText: (delta) => {
        this.#parts.report(
          withoutUndefined({ type: "shell_update" as const, id, delta }),
        );
      },
    });
    if (!isPrivate) {
      await session.append({
        role: "user",
        origin: { kind: "shell", command },
        content: `Ran \`${command}\`\n\`\`\`\n${result.output}\n\`\`\``,
        timestamp: Date.now(),
      });
    }
    return result;
  }

  /** Returns what a plugin puts in place of running a command of the user. Rejects when a plugin refuses it, or cannot be asked. */
  async #userBash(
    command: string,
    isPrivate: boolean,
  ): Promise<UserShellResult | undefined> {
    const { cwd, served } = this.#parts;
    const told = await served()?.userBash(command, { cwd, isPrivate });
    return told && {
      output: told.output,
      exitCode: told.isError ? 1 : 0,
      cancelled: false,
      truncated: false,
    };
  }
}
