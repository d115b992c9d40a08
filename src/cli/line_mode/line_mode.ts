import {
  Conversation,
  type ConversationOptions,
} from "../../host/conversation.ts";
import type { SessionChoice } from "../../host/run_session.ts";
import { ModelError } from "../../model/model_error.ts";
import { EXIT_CODES } from "../../protocol/exit_codes.ts";
import type { Console } from "../console.ts";
import { StopSignals, type StopSignalsOptions } from "../stop_signals.ts";
import { terminalText } from "../terminal_text.ts";
import { ConversationView } from "./conversation_view.ts";
import { InputLine } from "./input_line.ts";
import { type Key, KeyDecoder } from "./key_decoder.ts";
import { type LineCommand, parseLineCommand } from "./line_commands.ts";
import { OpenWork } from "./open_work.ts";
import { attachmentsIn } from "./prompt_attachments.ts";
import type { PromptHistory } from "./prompt_history.ts";
import { runLineCommand } from "./run_line_command.ts";
import { Screen } from "./screen.ts";
import { TerminalDialogs } from "./terminal_dialogs.ts";

/** A terminal to read keys from; `Deno.stdin` fits. */
export interface KeySource {
  read(buffer: Uint8Array): Promise<number | null>;
  setRaw(mode: boolean): void;
}

/** Parts of a conversation on a terminal. */
export interface LineModeParts {
  console: Console;
  keys: KeySource;
  options: Omit<ConversationOptions, "render" | "updates" | "mode">;
  /** Said first, with the files that are attached to it. */
  prompt?: { text: string; attachments: readonly string[] } | undefined;
  history: PromptHistory;
  /** `TAU_HOME`. */
  home: string | undefined;
  signals?: StopSignalsOptions;
}

const IDLE = "> ";
const WORKING = "… ";
const READ_BYTES = 4096;
/** Time within which a second Ctrl-C ends the program. */
const SECOND_PRESS_MS = 2000;

/**
 * A conversation on a terminal: lines that scroll, and one row to type in.
 * Resolves to the exit code, with the terminal as it was. Rejects with a
 * `UsageError` where there is nothing to begin with.
 */
export async function runLineMode(parts: LineModeParts): Promise<number> {
  return await new LineMode(parts).run();
}

class LineMode {
  readonly #parts: LineModeParts;
  readonly #input: InputLine;
  readonly #screen: Screen;
  readonly #view: ConversationView;
  readonly #dialogs: TerminalDialogs;
  readonly #ended = Promise.withResolvers<number>();
  #conversation: Conversation | undefined;
  readonly #work: OpenWork;
  #isOver = false;
  /** A plugin wants it to end, when nothing goes on. */
  #isLeaving = false;
  /** Another session, while it is being opened: nothing is said to the one before. */
  #opening: Promise<unknown> | undefined;
  #lastInterruptMs = -Infinity;
  /** Text that was being typed when a question came. */
  #draft: string | undefined;

  constructor(parts: LineModeParts) {
    this.#parts = parts;
    const { console, history } = parts;
    this.#input = new InputLine(history.read());
    this.#screen = new Screen(console.stdout, {
      input: this.#input,
      columns: () => console.renderingFor("stdout").width,
    });
    this.#view = new ConversationView(
      this.#screen,
      console.renderingFor("stdout"),
    );
    this.#work = new OpenWork(() => {
      if (!this.#dialogs.isOpen) this.#screen.prompt = this.#idlePrompt;
      if (this.#isLeaving) this.#leave();
    });
    this.#dialogs = new TerminalDialogs({
      print: (lines) => this.#screen.print(lines),
      await: (question) => this.#await(question),
    });
  }

  async run(): Promise<number> {
    const { console, keys, options, prompt, signals: settings } = this.#parts;
    const signals = new StopSignals(settings);
    signals.signal.addEventListener("abort", () => {
      this.#end(EXIT_CODES[signals.reason ?? "terminated"]);
    });
    console.stdout.failed.then(() => this.#end(EXIT_CODES.stdout_closed));
    const stopResizing = onResize(() => this.#screen.draw());
    try {
      if (!await this.#open(options.session)) {
        return await console.settle(EXIT_CODES.auth_failed);
      }
      keys.setRaw(true);
      this.#screen.open();
      this.#readKeys().catch(this.#ended.reject);
      if (prompt) {
        this.#say(prompt.text, prompt.attachments).catch(this.#report);
      }
      const code = await this.#ended.promise;
      this.#isOver = true;
      this.#work.stopAll();
      this.#dialogs.dismiss();
      await Promise.race([this.#conversation?.close(), signals.gaveUp]);
      return code;
    } finally {
      this.#screen.close();
      restore(keys);
      await console.stdout.flush(AbortSignal.abort());
      stopResizing();
      signals.close();
    }
  }

  #leave(): void {
    this.#isLeaving = true;
    if (!this.#work.isBusy) this.#end(0);
  }

  #end(code: number): void {
    this.#ended.resolve(code);
  }

  /** False where no model can be asked, which is told. */
  async #open(session: SessionChoice | undefined): Promise<boolean> {
    const { console, options } = this.#parts;
    try {
      const conversation = await Conversation.open(
        {
          ...options,
          session,
          mode: "tui",
          updates: true,
          render: console.renderingFor("stdout"),
        },
        {
          emit: (event) => {
            this.#view.show(event);
            return console.stdout.backlog();
          },
          ask: (dialog, dismissed) => this.#dialogs.ask(dialog, dismissed),
          log: (line) => this.#screen.print([terminalText(line)]),
          leave: () => this.#leave(),
        },
      );
      await this.#conversation?.close();
      this.#conversation = conversation;
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      this.#view.note(error.message);
      return false;
    }
    this.#introduce();
    return true;
  }

  #introduce(): void {
    const { state, messages } = this.#talk();
    const length = messages.length > 0 ? ` · ${messages.length} messages` : "";
    this.#screen.print([
      terminalText(
        `tau · ${state.model} · session ${
          state.header.id.slice(0, 8)
        }${length}`,
      ),
      "Type /help for the commands.",
      "",
    ]);
  }

  async #readKeys(): Promise<void> {
    const decoder = new KeyDecoder();
    const buffer = new Uint8Array(READ_BYTES);
    while (true) {
      // In raw mode no key ends it: the terminal is gone.
      const count = await this.#parts.keys.read(buffer).catch(() => null);
      if (count === null) return this.#end(EXIT_CODES.hung_up);
      for (const key of decoder.push(buffer.subarray(0, count))) {
        this.#press(key);
      }
      this.#screen.draw();
    }
  }

  #press(key: Key): void {
    if ("text" in key) return this.#input.edit(key);
    switch (key.name) {
      case "enter":
        return this.#enter(this.#input.take());
      case "interrupt":
        return this.#interrupt();
      case "end_of_input":
        if (this.#input.text !== "") this.#input.edit({ name: "delete" });
        else if (this.#dialogs.isOpen) this.#dialogs.dismiss();
        else this.#end(0);
        break;
      case "redraw":
        break;
      default:
        this.#input.edit(key);
    }
  }

  /** The first press stops what goes on, the second ends the program. */
  #interrupt(): void {
    const now = performance.now();
    const isSecond = now - this.#lastInterruptMs < SECOND_PRESS_MS;
    this.#lastInterruptMs = now;
    if (isSecond) return this.#end(EXIT_CODES.interrupted);
    const wasBusy = this.#work.stopLatest();
    if (this.#dialogs.isOpen) this.#dialogs.dismiss();
    else if (wasBusy) return;
    else if (this.#input.text !== "") {
      this.#input.take();
      this.#lastInterruptMs = -Infinity;
    } else this.#view.note("press Ctrl-C once more to end");
  }

  #enter(line: string): void {
    if (this.#dialogs.isOpen) {
      this.#view.echo("?", line);
      return this.#dialogs.answer(line);
    }
    const text = line.trim();
    if (text === "") return;
    this.#input.remember(line);
    this.#parts.history.add(line);
    this.#do(text, line).catch(this.#report);
  }

  async #do(text: string, line: string): Promise<void> {
    // Nothing may come between a line and what it begins, or the next line overtakes it.
    if (this.#opening) await this.#opening;
    const command = parseLineCommand(text);
    if (command) {
      this.#view.echo(">", text);
      return await this.#command(command);
    }
    const [, marks, shell] = /^(!!?)\s*([^]+)$/.exec(text) ?? [];
    if (shell !== undefined) {
      this.#view.echo(">", text);
      return await this.#shell(shell, marks === "!!");
    }
    const unknown = await this.#unknownCommand(line);
    if (unknown === undefined) {
      return await this.#say(text, attachmentsIn(text));
    }
    this.#view.echo(">", text);
    this.#view.note(
      `Unknown command ${unknown}; /help lists the commands. To send it as a prompt, begin with a space`,
    );
  }

  async #command(command: LineCommand): Promise<void> {
    const { options, home } = this.#parts;
    await runLineCommand(command, {
      conversation: this.#talk(),
      options,
      home,
      screen: this.#screen,
      view: this.#view,
      dialogs: this.#dialogs,
      work: this.#work,
      open: async (session) => {
        const opened = this.#open(session);
        this.#opening = opened.catch(() => {});
        await opened.finally(() => this.#opening = undefined);
      },
      quit: () => this.#end(0),
    });
  }

  /** A word behind a slash that stands for nothing. */
  async #unknownCommand(line: string): Promise<string | undefined> {
    const [, slashed, word] = /^(\/([\w-]+))(?:\s|$)/.exec(line) ?? [];
    if (slashed === undefined) return undefined;
    const commands = await this.#talk().promptCommands();
    return commands.some(({ name }) => name === word) ? undefined : slashed;
  }

  /** A prompt, or, while a run goes on, something for it. */
  async #say(text: string, attachments: readonly string[]): Promise<void> {
    if (this.#isRunning) {
      this.#view.echo("»", text);
      return await this.#steer(text, attachments);
    }
    this.#view.echo(">", text);
    await this.#run({ text, attachments });
  }

  async #steer(text: string, attachments: readonly string[]): Promise<void> {
    const conversation = this.#talk();
    try {
      await conversation.steer({ text, attachments });
    } catch (error) {
      this.#report(error);
      return this.#giveBack(text);
    }
    // The run may have ended before it could hear of it.
    const isUnheard = conversation.hasQueued && !this.#isRunning;
    if (isUnheard && conversation === this.#conversation) {
      await this.#run(undefined);
    }
  }

  get #isRunning(): boolean {
    return this.#conversation?.state.isRunning ?? false;
  }

  async #run(
    prompt: { text: string; attachments: readonly string[] } | undefined,
  ): Promise<void> {
    const conversation = this.#talk();
    let isCompleted = false;
    try {
      const result = await this.#work.do((signal) =>
        conversation.run(prompt, signal)
      );
      this.#view.end(result);
      isCompleted = result.status === "completed";
    } catch (error) {
      this.#report(error);
    }
    if (this.#isOver || !conversation.hasQueued) return;
    if (conversation !== this.#conversation) return;
    if (isCompleted) return await this.#run(undefined);
    await this.#takeBack();
  }

  /** Puts messages that were queued for a stopped run back into the input line. */
  async #takeBack(): Promise<void> {
    const cleared = await this.#talk().command({ name: "clear_queue" });
    const { steering = [], followUp = [] } = (cleared ?? {}) as {
      steering?: string[];
      followUp?: string[];
    };
    const unsent = [...steering, ...followUp].join("\n");
    if (unsent !== "") this.#giveBack(unsent);
  }

  #giveBack(unsent: string): void {
    const isFree = this.#input.text === "" && !this.#dialogs.isOpen;
    if (isFree) this.#input.set(unsent);
    else this.#input.remember(unsent);
    this.#view.note(
      `the run was stopped before your message was sent; ${
        isFree ? "it is back in the input line" : "the key Up brings it back"
      }`,
    );
    this.#screen.draw();
  }

  async #shell(command: string, isPrivate: boolean): Promise<void> {
    const name = "shell";
    await this.#work.do((signal) =>
      this.#talk().command({ name, command, isPrivate }, signal)
    );
    this.#view.endShell();
  }

  get #idlePrompt(): string {
    return this.#work.isBusy ? WORKING : IDLE;
  }

  #await(question: { prompt: string; prefill?: string } | undefined): void {
    if (question) {
      this.#draft ??= this.#input.text;
      this.#input.set(question.prefill ?? "");
      this.#screen.prompt = question.prompt;
    } else {
      this.#input.set(this.#draft ?? "");
      this.#draft = undefined;
      this.#screen.prompt = this.#idlePrompt;
    }
    this.#screen.draw();
  }

  #talk(): Conversation {
    if (!this.#conversation) throw new Error("no conversation is open");
    return this.#conversation;
  }

  /** Shows an error about a request that cannot be met. */
  readonly #report = (error: unknown): void => {
    if (this.#isOver) return;
    this.#view.note(error instanceof Error ? error.message : String(error));
  };
}

/** Gives the terminal back; one that is gone takes nothing. */
function restore(keys: KeySource): void {
  try {
    keys.setRaw(false);
  } catch {
    // The terminal is gone; there is nothing to restore.
  }
}

/** Listens for changes of the terminal's size until the returned function is called. */
function onResize(listener: () => void): () => void {
  try {
    Deno.addSignalListener("SIGWINCH", listener);
    return () => Deno.removeSignalListener("SIGWINCH", listener);
  } catch {
    // Where there is no such signal the next key draws the row anew.
    return () => {};
  }
}
