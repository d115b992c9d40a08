import type { KernelCommand } from "../protocol/kernel_messages.ts";
import type { RunOutcome } from "../session/run_outcome.ts";
import type { JsonObject, UserContent } from "../model/content.ts";
import type { AgentSession } from "../session/agent_session.ts";
import type { HostChannel, HostRequest } from "./host_channel.ts";
import { inlineImages } from "./inline_images.ts";
import type { KernelPlugins } from "./kernel_plugins.ts";
import type { UserShell } from "./user_shell.ts";

/** Does what the host wants done with a session: runs, one after the other, and commands beside them. */
export class SessionServer {
  readonly #channel: HostChannel;
  readonly #session: AgentSession;
  readonly #runShell: UserShell;
  readonly #plugins: KernelPlugins | undefined;
  readonly #closing = Promise.withResolvers<void>();
  /** Abort of the run that goes on. */
  #run: AbortController | undefined;
  readonly #commands = new Map<number, AbortController>();
  /** A summary that is being made; no run begins beside it. */
  #compacting: { abort: AbortController; done: Promise<unknown> } | undefined;
  /** Plugins that are being loaded anew; no run begins beside it. */
  #reloading: Promise<unknown> | undefined;

  constructor(
    channel: HostChannel,
    { session, runShell, plugins }: {
      session: AgentSession;
      runShell: UserShell;
      plugins?: KernelPlugins | undefined;
    },
  ) {
    this.#plugins = plugins;
    this.#channel = channel;
    this.#session = session;
    this.#runShell = runShell;
  }

  /** Aborts with the run that goes on. */
  get runSignal(): AbortSignal | undefined {
    return this.#run?.signal;
  }

  /** Ends the run that goes on. */
  abort(): void {
    this.#run?.abort(new DOMException("Aborted", "AbortError"));
  }

  /** Serves until the host is gone. Rejects when this side has failed. */
  async serve(): Promise<void> {
    const failed = Promise.withResolvers<void>();
    const { gone } = this.#channel;
    gone.addEventListener("abort", () => this.#stop(gone.reason));
    this.#channel.serve((request) => {
      this.#take(request).catch(failed.reject);
    });
    await Promise.race([
      failed.promise,
      this.#closing.promise,
      this.#channel.closed,
    ]);
  }

  async #take(request: HostRequest): Promise<void> {
    switch (request.type) {
      case "prompt":
        return await this.#answer(request.content);
      case "close":
        this.#stop(new DOMException("Aborted", "AbortError"));
        await this.#plugins?.close();
        return this.#closing.resolve();
      case "abort": {
        const reason = new DOMException("Aborted", "AbortError");
        this.#run?.abort(reason);
        this.#compacting?.abort.abort(reason);
        break;
      }
      case "command":
        return await this.#execute(request.commandId, request.command);
      case "command_cancel":
        this.#commands.get(request.commandId)?.abort(
          new DOMException("Aborted", "AbortError"),
        );
    }
  }

  async #answer(content: string | UserContent[] | undefined): Promise<void> {
    if (this.#run) throw new Error("the host began a run beside another");
    const run = new AbortController();
    this.#run = run;
    let outcome: RunOutcome;
    try {
      await this.#compacting?.done.catch(() => {});
      await this.#reloading?.catch(() => {});
      outcome = await this.#session.run(
        content === undefined
          ? undefined
          : await this.#heard(await inlineImages(content), "prompt"),
        run.signal,
      );
    } finally {
      this.#run = undefined;
    }
    await this.#plugins?.settled(outcome.kind === "aborted");
    await this.#channel.send({ type: "end", outcome });
  }

  async #execute(commandId: number, command: KernelCommand): Promise<void> {
    const abort = new AbortController();
    this.#commands.set(commandId, abort);
    let value: JsonObject | undefined;
    let error: string | undefined;
    try {
      value = await this.#do(command, abort);
    } catch (thrown) {
      error = thrown instanceof Error ? thrown.message : String(thrown);
    }
    this.#commands.delete(commandId);
    await this.#channel.send({ type: "command_end", commandId, value, error });
  }

  async #do(
    command: KernelCommand,
    abort: AbortController,
  ): Promise<JsonObject | undefined> {
    switch (command.name) {
      case "steer":
      case "follow_up": {
        const { name, content } = command;
        const said = await this.#heard(await inlineImages(content), name);
        if (said === undefined) return undefined;
        if (name === "steer") await this.#session.steer(said);
        else await this.#session.followUp(said);
        return undefined;
      }
      case "clear_queue":
        return { ...await this.#session.clearQueue() };
      case "use_model":
        await this.#useModel(command);
        return undefined;
      case "shell":
        return await this.#shell(command, abort.signal);
      case "compact":
        return await this.#compact(command.instructions, abort);
      case "reload":
        return await this.#reload();
      case "list_commands":
        return { commands: this.#plugins?.commands ?? [] };
    }
  }

  /** Returns the user's text as plugins leave it; undefined when one has dealt with it, and may have queued something in its place. */
  async #heard(
    said: string | UserContent[],
    source: "prompt" | "steer" | "follow_up",
  ): Promise<string | UserContent[] | undefined> {
    return this.#plugins ? await this.#plugins.input(said, source) : said;
  }

  async #useModel(
    { model, thinkingLevel }: KernelCommand & { name: "use_model" },
  ): Promise<void> {
    const before = this.#session.answers;
    this.#session.useModel(model, thinkingLevel);
    await this.#plugins?.modelChanged(before, this.#session.answers);
  }

  async #compact(
    instructions: string | undefined,
    abort: AbortController,
  ): Promise<JsonObject> {
    if (this.#run) throw new Error("Wait until the run has ended");
    if (this.#compacting) throw new Error("A summary is being made already");
    const done = this.#session.compact(instructions, abort.signal);
    this.#compacting = { abort, done };
    try {
      const { tokensBefore } = await done;
      return { tokensBefore };
    } finally {
      this.#compacting = undefined;
    }
  }

  async #reload(): Promise<JsonObject> {
    if (!this.#plugins) {
      throw new Error(
        "This session began without plugins; another one takes up those that are there now",
      );
    }
    if (this.#run) {
      throw new Error(
        "Wait for the current response to finish before reloading.",
      );
    }
    if (this.#compacting) {
      throw new Error("Wait for compaction to finish before reloading.");
    }
    const reloading = this.#plugins.host.reload();
    this.#reloading = reloading;
    try {
      return { ...await reloading };
    } finally {
      if (this.#reloading === reloading) this.#reloading = undefined;
    }
  }

  async #shell(
    { command, isPrivate, id }: KernelCommand & { name: "shell" },
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const replaced = await this.#plugins?.userBash(command, isPrivate);
    const result = replaced ?? await this.#runShell(command, {
      signal,
      onText: (delta) => {
        this.#channel.send({
          type: "event",
          event: {
            type: "shell_update",
            ...(id === undefined ? {} : { id }),
            delta,
          },
        }).catch(() => {});
      },
    });
    if (!isPrivate) {
      const text = `\`\`\`\n${result.output}\n\`\`\``;
      await this.#session.append({
        role: "user",
        origin: { kind: "shell", command },
        content: `Ran \`${command}\`\n${text}`,
        timestamp: Date.now(),
      });
    }
    return result;
  }

  #stop(reason: unknown): void {
    this.#run?.abort(reason);
    for (const command of this.#commands.values()) command.abort(reason);
  }
}
