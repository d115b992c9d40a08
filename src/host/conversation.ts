import type { AgentMessage } from "../agent/agent_message.ts";
import type { PromptCommand } from "../context/prompt_commands.ts";
import type { ReadContext } from "../context/read_context.ts";
import type { JsonObject, UserContent } from "../model/content.ts";
import { deltaSourceFor } from "../providers/delta_source_for.ts";
import type { RunEvent } from "../protocol/event_schemas.ts";
import type { RunResult } from "../protocol/result_schema.ts";
import type { SessionHeader } from "../session/session_entry.ts";
import { UsageError } from "../settings/usage_error.ts";
import { type ChosenModel, THINKING_LEVELS } from "./choose_model.ts";
import { type Confinement, confinementOf } from "./confinement.ts";
import { answeringModel, openServer, toldBy } from "./open_server.ts";
import { type PluginCommand, pluginCommandsIn } from "./plugin_commands.ts";
import { realFolder } from "./real_folder.ts";
import type { RunListener, RunOptions } from "./run_options.ts";
import { RunRecord } from "./run_record.ts";
import { RunSession } from "./run_session.ts";
import type { SessionCommand } from "./session_commands.ts";
import type { SessionHost } from "./session_host.ts";

/** Options of a conversation; limits and goals hold for each of its runs. */
export type ConversationOptions = Omit<
  RunOptions,
  "prompt" | "answerFile" | "replay"
>;

/** Listener of a conversation. */
export interface ConversationListener
  extends Pick<RunListener, "ask" | "log" | "leave"> {
  /** Each event, in order; those between two runs too. A slow listener slows the run down. */
  emit(event: RunEvent): void | Promise<void>;
}

/** A prompt of the user. */
export interface Prompt {
  /** A skill or a template counts as what it stands for. */
  text: string;
  /** Paths of files to attach. */
  attachments?: readonly string[];
  /** As they were read. */
  images?: readonly UserContent[];
}

/** A prompt with all that it stands for. */
export interface PreparedPrompt {
  content: string | UserContent[];
}

/** State of a conversation. */
export interface ConversationState {
  header: SessionHeader;
  /** Name that the user gave the session. */
  name?: string;
  /** `provider/id`. */
  model: string;
  thinkingLevel: string;
  /** Those that the model has. */
  thinkingLevels: string[];
  /** Tokens that a request may have. */
  contextWindow: number;
  isRunning: boolean;
  /** Queued messages. */
  queue: { steering: string[]; followUp: string[] };
  /** Its file, and true where all of it is stored. */
  session: RunResult["session"];
}

/**
 * A session over many prompts, in one kernel. Each prompt is a run with its
 * own terminal record; what is said while one goes on is queued. When the
 * kernel dies, the next prompt starts another with what was stored.
 */
export class Conversation {
  readonly #options: RunOptions;
  readonly #listener: ConversationListener;
  readonly #cwd: string;
  readonly #told: ReadContext | undefined;
  readonly #confinement: Confinement;
  #session: RunSession | undefined;
  #record: RunRecord;
  #chosen: ChosenModel;
  #served: { server: SessionHost; close(): Promise<void> } | undefined;
  /** The end of the kernel before, which another one waits for. */
  #ending: Promise<void> | undefined;
  readonly #messages: AgentMessage[];
  #queue: ConversationState["queue"] = { steering: [], followUp: [] };
  #isRunning = false;
  /** The run that goes on has told of something. */
  #hasHeard = false;

  private constructor(
    options: RunOptions,
    parts: {
      listener: ConversationListener;
      cwd: string;
      told: ReadContext | undefined;
      session: RunSession | undefined;
      chosen: ChosenModel;
      confinement: Confinement;
    },
  ) {
    this.#options = options;
    this.#listener = parts.listener;
    this.#cwd = parts.cwd;
    this.#told = parts.told;
    this.#confinement = parts.confinement;
    this.#session = parts.session;
    this.#messages = parts.session?.messages.slice() ?? [];
    this.#chosen = parts.chosen;
    this.#record = this.#newRecord(parts.session?.id ?? crypto.randomUUID());
    this.#serve();
  }

  /**
   * Opens the session and starts its kernel. Rejects with a `UsageError` or,
   * where no model can be asked, a `ModelError`; nothing is left open then.
   */
  static async open(
    given: ConversationOptions,
    listener: ConversationListener,
  ): Promise<Conversation> {
    const options = { ...given, prompt: "" };
    const cwd = realFolder(options.cwd);
    const session = options.session && RunSession.open(options.session, {
      cwd,
      env: options.env,
      warn: (problem) => listener.log(`tau: ${problem}`),
    });
    try {
      const told = await toldBy(options, cwd);
      const confinement = confinementOf(options, cwd);
      for (const line of told?.warnings ?? []) listener.log(`tau: ${line}`);
      const chosen = await answeringModel(options, {
        session,
        tape: undefined,
      });
      const parts = { listener, cwd, told, session, chosen, confinement };
      return new Conversation(options, parts);
    } catch (error) {
      session?.close();
      throw error;
    }
  }

  /** Its state now. */
  get state(): ConversationState {
    const { model, thinkingLevel = "off" } = this.#chosen;
    const name = this.#session?.name;
    return {
      header: this.#record.header(),
      ...(name === undefined ? {} : { name }),
      model: `${model.provider}/${model.id}`,
      thinkingLevel,
      thinkingLevels: model.reasoning ? [...THINKING_LEVELS] : ["off"],
      contextWindow: model.contextWindow,
      isRunning: this.#isRunning,
      queue: this.#queue,
      session: this.#session?.report() ?? { stored: false },
    };
  }

  /** All that was said, from the first message of the session on. */
  get messages(): readonly AgentMessage[] {
    return this.#messages;
  }

  /** True when a queued message could begin a run. */
  get hasQueued(): boolean {
    return this.#queue.steering.length + this.#queue.followUp.length > 0;
  }

  /**
   * Runs one prompt to its end, or goes on with what is queued; one at a time.
   * Rejects as `prepare` does, before anything has begun. `stop` is aborted
   * with a `StopReason`.
   */
  async run(
    prompt: Prompt | PreparedPrompt | undefined,
    stop: AbortSignal,
  ): Promise<RunResult> {
    if (this.#isRunning) throw new Error("A run is going on already");
    this.#isRunning = true;
    try {
      const { content } = prompt ? await this.prepare(prompt) : {};
      await this.#runOnce(content, stop);
      // It had died before, and nobody had noticed: nothing has happened yet.
      const wasDead = this.#record.facts.kernelFailure !== undefined &&
        !this.#hasHeard;
      if (wasDead && !stop.aborted) await this.#runOnce(content, stop);
    } finally {
      this.#isRunning = false;
    }
    this.#session?.flush();
    if (this.#session) this.#record.session = this.#session.report();
    return this.#record.finish();
  }

  /** Reads all that a prompt stands for. Rejects with a `UsageError` for a skill or a file that cannot be had. */
  async prepare(prompt: Prompt | PreparedPrompt): Promise<PreparedPrompt> {
    if ("content" in prompt) return prompt;
    const { text, attachments, images = [] } = prompt;
    const content = await this.#told?.expand(text, attachments) ?? text;
    if (images.length === 0) return { content };
    return typeof content === "string"
      ? { content: [{ type: "text", text: content }, ...images] }
      : { content: [...content, ...images] };
  }

  /**
   * Queues what the user says for before the next request. Once it resolves it
   * is queued or taken; when no run goes on then, it waits for the next one.
   * Rejects as `prepare` does, or when the kernel is gone.
   */
  async steer(prompt: Prompt | PreparedPrompt): Promise<void> {
    await this.command({ name: "steer", ...await this.prepare(prompt) });
  }

  /** Queues what the user says for when the run would end; as {@linkcode Conversation.steer}. */
  async followUp(prompt: Prompt | PreparedPrompt): Promise<void> {
    await this.command({ name: "follow_up", ...await this.prepare(prompt) });
  }

  /** Does something beside a run. Rejects with what the kernel said of it. */
  async command(
    command: SessionCommand,
    signal?: AbortSignal,
  ): Promise<JsonObject | undefined> {
    return await (await this.#server()).command(command, signal);
  }

  /** Has another model answer from the next request on; named as `--model` names one. Rejects like {@linkcode Conversation.open}. */
  async useModel(name: string): Promise<void> {
    const { source } = this.#options;
    const chosen = await answeringModel(
      { ...this.#options, model: name },
      { session: undefined, tape: undefined },
    );
    if (chosen.warning) this.#listener.log(`tau: ${chosen.warning}`);
    await (await this.#server()).useModel(
      chosen,
      source ? Promise.resolve(source) : deltaSourceFor(chosen.model.api),
    );
    this.#chosen = chosen;
    this.#session?.useModel(chosen.model, chosen.thinkingLevel);
  }

  /** Gives the session a name. Throws a `UsageError` where it is not stored. */
  rename(name: string): void {
    if (!this.#session) throw new UsageError("The session is not stored");
    this.#session.rename(name);
  }

  /** The skills, templates and commands of plugins that a prompt can begin with, behind a slash; of two with one name the first counts. */
  async promptCommands(): Promise<(PromptCommand | PluginCommand)[]> {
    const own = await this.#told?.commands() ?? [];
    const taken = new Set(own.map(({ name }) => name));
    const others = await this.#pluginCommands();
    return [...own, ...others.filter(({ name }) => !taken.has(name))];
  }

  async #pluginCommands(): Promise<PluginCommand[]> {
    if (!this.#options.plugins) return [];
    const { commands } = await this.command({ name: "list_commands" }) ?? {};
    return pluginCommandsIn(commands);
  }

  /** Ends the kernel and lets others into the session. */
  async close(): Promise<void> {
    try {
      await this.#endKernel();
    } finally {
      this.#session?.flush();
      this.#session?.close();
    }
  }

  async #runOnce(
    content: string | UserContent[] | undefined,
    stop: AbortSignal,
  ): Promise<void> {
    const server = await this.#server();
    this.#record = this.#newRecord(this.#record.sessionId);
    this.#hasHeard = false;
    await server.run(content, {
      record: this.#record,
      stop,
      timeoutMs: this.#options.timeoutMs,
    });
    // A command may have replaced it already.
    const isLast = server === this.#served?.server;
    if (server.isOver && isLast) await this.#endKernel();
    await server.checkControlFiles(this.#record);
  }

  /** That of the kernel; of another one, where it has died. */
  async #server(): Promise<SessionHost> {
    if (this.#served?.server.isOver) await this.#endKernel();
    else await this.#ending;
    return this.#served?.server ?? await this.#startAgain();
  }

  #serve(): SessionHost {
    const { ask, log, emit, leave } = this.#listener;
    const listener: RunListener = {
      ...(ask ? { ask: (dialog, signal) => ask(dialog, signal) } : {}),
      log,
      ...(leave ? { leave: () => leave() } : {}),
      stop: new AbortController().signal,
      emit: (event) => {
        if (event.type === "session") return;
        this.#hasHeard = true;
        if (event.type === "message_end") this.#messages.push(event.message);
        if (event.type === "queue_update") {
          const { steering, followUp } = event;
          this.#queue = { steering, followUp };
        }
        return emit(event);
      },
    };
    this.#served = openServer(this.#options, this.#chosen, {
      listener,
      record: this.#record,
      session: this.#session,
      told: this.#told,
      confinement: this.#confinement,
      tape: undefined,
    });
    return this.#served.server;
  }

  /** Another kernel, for the one that died; what was queued there is queued here, as text. */
  async #startAgain(): Promise<SessionHost> {
    const file = this.#session?.report().file;
    if (file !== undefined) {
      this.#session?.flush();
      this.#session?.close();
      this.#session = RunSession.open({ resume: { file } }, {
        cwd: this.#cwd,
        env: this.#options.env,
        warn: (problem) => this.#listener.log(`tau: ${problem}`),
      });
    } else if (this.#messages.length > 0) {
      this.#messages.length = 0;
      this.#listener.log(
        "tau: The conversation begins anew: it was not stored",
      );
    }
    const { steering, followUp } = this.#queue;
    this.#queue = { steering: [], followUp: [] };
    const server = this.#serve();
    const queued = [
      ...steering.map((content) => ({ name: "steer", content }) as const),
      ...followUp.map((content) => ({ name: "follow_up", content }) as const),
    ];
    await Promise.all(queued.map((command) => server.command(command)));
    return server;
  }

  async #endKernel(): Promise<void> {
    const served = this.#served;
    this.#served = undefined;
    if (served) {
      this.#ending = served.close().finally(() => this.#ending = undefined);
    }
    await this.#ending;
  }

  #newRecord(sessionId: string): RunRecord {
    const record = new RunRecord({
      sessionId,
      cwd: this.#cwd,
      goals: this.#options.goals,
      failOnDenied: this.#options.failOnDenied,
    });
    const { provider, id } = this.#chosen.model;
    record.model = `${provider}/${id}`;
    return record;
  }
}
