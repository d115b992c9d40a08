import {
  Conversation,
  type ConversationOptions,
  type PreparedPrompt,
  type Prompt,
} from "../../host/conversation.ts";
import type { StopReason } from "../../host/run_options.ts";
import type { SessionChoice } from "../../host/run_session.ts";
import { UsageError } from "../../settings/usage_error.ts";
import type { JsonValue, UserContent } from "../../model/content.ts";
import type { RunResult } from "../../protocol/result_schema.ts";
import { bareResult } from "../bare_result.ts";
import type { CommandLine } from "./read_command_lines.ts";
import {
  type RpcCommand,
  RpcCommandError,
  rpcCommandOf,
  type RpcSession,
  textIn,
} from "./rpc_commands.ts";
import { RpcDialogs } from "./rpc_dialogs.ts";
import type { RpcLine } from "./rpc_line.ts";

/** Takes the lines that the server writes. */
export interface RpcOutput {
  /** Something to wait for, where the reader is behind. */
  send(line: RpcLine): void | Promise<void>;
  /** A line for people. */
  log(line: string): void;
  /** A plugin wants the program to end, when nothing goes on. */
  leave(): void;
}

/** Options of a session of `tau rpc`. */
export type RpcOptions = Omit<
  ConversationOptions,
  "render" | "updates" | "mode"
>;

/** Prompts that may wait. */
const MAX_WAITING = 1000;

/**
 * Does what the lines of the other side ask for. A prompt that comes while a
 * run goes on waits for a run of its own, unless it is to steer that run; none
 * is lost: each gets one response and, unless it was refused, one result.
 */
export class RpcServer implements RpcSession {
  readonly options: RpcOptions;
  readonly #output: RpcOutput;
  readonly #dialogs: RpcDialogs;
  #conversation!: Conversation;
  readonly #waiting: PreparedPrompt[] = [];
  #running: Promise<void> | undefined;
  #stop = new AbortController();
  /** Commands of the user that run. */
  #shell = new AbortController();
  /** Commands that have no answer yet. */
  readonly #open = new Set<Promise<void>>();

  private constructor(options: RpcOptions, output: RpcOutput) {
    this.options = options;
    this.#output = output;
    this.#dialogs = new RpcDialogs((line) => void output.send(line));
  }

  /** Opens the session. Rejects with a `UsageError` or a `ModelError`. */
  static async open(
    options: RpcOptions,
    output: RpcOutput,
  ): Promise<RpcServer> {
    const server = new RpcServer(options, output);
    await server.#openSession(options.session);
    return server;
  }

  get conversation(): Conversation {
    return this.#conversation;
  }

  /** Takes a line; resolves when it is answered, or goes on beside others. Never rejects for what the line says. */
  async take(line: CommandLine): Promise<void> {
    if ("problem" in line) {
      const error = `Failed to parse command: ${line.problem}`;
      return await this.#respond({}, "parse", { error });
    }
    const { command } = line;
    const { type } = command;
    if (type === "extension_ui_response") {
      const error = this.#dialogs.answer(command);
      if (error !== undefined) await this.#respond(command, type, { error });
      return;
    }
    const known = rpcCommandOf(type);
    if (!known) {
      const name = typeof type === "string" ? type : "?";
      const error = `Unknown command: ${name}`;
      return await this.#respond(command, name, { error });
    }
    const answered = this.#answer(command, known.answer);
    this.#open.add(answered);
    answered.finally(() => this.#open.delete(answered));
    if (!known.isLong) await answered;
  }

  /** Resolves when all that was accepted is done. Nobody answers questions any more. */
  async settled(): Promise<void> {
    this.#dialogs.close();
    await this.idle();
  }

  /** Resolves when nothing goes on. */
  async idle(): Promise<void> {
    while (this.#running || this.#open.size > 0) {
      await Promise.all([this.#running, ...this.#open]);
    }
  }

  /** Ends everything. */
  async close(reason: StopReason = "terminated"): Promise<void> {
    this.#waiting.length = 0;
    this.#stop.abort(reason);
    this.#shell.abort();
    this.#dialogs.close();
    await this.#running;
    await this.#conversation.close();
  }

  async prompt(
    command: RpcCommand,
  ): Promise<{ disposition: "started" | "queued" }> {
    const queue = queueOf(command);
    const prompt = await this.#conversation.prepare(promptOf(command));
    if (this.#running && queue) {
      await this.#queue(queue, prompt);
      return { disposition: "queued" };
    }
    if (this.#waiting.length >= MAX_WAITING) {
      throw new RpcCommandError(`More than ${MAX_WAITING} prompts wait`);
    }
    this.#waiting.push(prompt);
    return { disposition: this.#running ? "queued" : "started" };
  }

  async queue(
    type: "steer" | "follow_up",
    command: RpcCommand,
  ): Promise<void> {
    if (!this.#running) return void await this.prompt(command);
    const prompt = await this.#conversation.prepare(promptOf(command));
    await this.#queue(type, prompt);
  }

  async abort(): Promise<void> {
    this.#stop.abort("interrupted");
    this.#dialogs.dismiss();
    await this.#running;
  }

  async shell(command: RpcCommand): Promise<JsonValue> {
    const { id } = command;
    return await this.#conversation.command({
      name: "shell",
      command: textIn(command, "command"),
      isPrivate: command.excludeFromContext === true,
      ...(isId(id) ? { id: String(id) } : {}),
    }, this.#shell.signal) ?? null;
  }

  abortShell(): void {
    this.#shell.abort();
    this.#shell = new AbortController();
  }

  async switchTo(session: SessionChoice): Promise<void> {
    if (this.#running || this.#open.size > 1) {
      throw new RpcCommandError(
        "A run or a command is active: wait for it, or send abort",
      );
    }
    await this.#openSession(this.options.session && session);
  }

  async #queue(
    type: "steer" | "follow_up",
    prompt: PreparedPrompt,
  ): Promise<void> {
    if (type === "steer") await this.#conversation.steer(prompt);
    else await this.#conversation.followUp(prompt);
  }

  async #openSession(session: SessionChoice | undefined): Promise<void> {
    const conversation = await Conversation.open(
      { ...this.options, session, mode: "rpc", updates: true },
      {
        emit: (event) => this.#output.send(event),
        ask: (dialog, dismissed) => this.#dialogs.ask(dialog, dismissed),
        log: (line) => this.#output.log(line),
        leave: () => this.#output.leave(),
      },
    );
    await this.#conversation?.close();
    this.#conversation = conversation;
  }

  /** Runs what waits, and what is queued, until nothing is left. */
  async #runAll(): Promise<void> {
    try {
      while (this.#hasMore) {
        const next = this.#waiting.shift();
        this.#stop = new AbortController();
        await this.#output.send(await this.#run(next));
      }
    } finally {
      this.#running = undefined;
    }
  }

  async #run(prompt: PreparedPrompt | undefined): Promise<RunResult> {
    try {
      return await this.#conversation.run(prompt, this.#stop.signal);
    } catch (error) {
      const status = error instanceof UsageError
        ? "usage_error"
        : "internal_error";
      const { header: { cwd, id: sessionId } } = this.#conversation.state;
      this.#output.log(`tau: ${messageOf(error)}`);
      return { ...bareResult(status, messageOf(error), { cwd }), sessionId };
    }
  }

  async #answer(
    command: RpcCommand,
    answer: NonNullable<ReturnType<typeof rpcCommandOf>>["answer"],
  ): Promise<void> {
    const type = String(command.type);
    try {
      const data = await answer(this, command);
      await this.#respond(command, type, data === undefined ? {} : { data });
    } catch (error) {
      await this.#respond(command, type, { error: messageOf(error) });
    }
    // Also what was queued for a run that ended before it could hear of it.
    if (this.#hasMore) this.#running ??= this.#runAll();
  }

  get #hasMore(): boolean {
    return this.#waiting.length > 0 || this.#conversation.hasQueued;
  }

  async #respond(
    { id }: RpcCommand,
    command: string,
    { data, error }: { data?: JsonValue; error?: string },
  ): Promise<void> {
    await this.#output.send({
      type: "response",
      ...(isId(id) ? { id } : {}),
      command,
      success: error === undefined,
      ...(data === undefined ? {} : { data }),
      ...(error === undefined ? {} : { error }),
    });
  }
}

function isId(id: unknown): id is string | number {
  return typeof id === "string" || typeof id === "number";
}

function queueOf(
  { streamingBehavior: behavior }: RpcCommand,
): "steer" | "follow_up" | undefined {
  if (behavior === undefined) return undefined;
  if (behavior === "steer") return "steer";
  if (behavior === "followUp") return "follow_up";
  throw new RpcCommandError(
    'streamingBehavior: expected "steer" or "followUp"',
  );
}

function promptOf(command: RpcCommand): Prompt {
  const text = textIn(command, "message");
  const { images = [] } = command;
  if (!Array.isArray(images) || !images.every(isImage)) {
    throw new RpcCommandError(
      'images: expected a list of { type: "image", data, mimeType }',
    );
  }
  return { text, images };
}

function isImage(value: unknown): value is UserContent {
  if (typeof value !== "object" || value === null) return false;
  const { type, data, mimeType } = value as Record<string, unknown>;
  return type === "image" && typeof data === "string" &&
    typeof mimeType === "string";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
