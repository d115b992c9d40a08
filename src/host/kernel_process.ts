import type { HostMessage } from "../protocol/kernel_messages.ts";
import { isKernelMessage } from "../protocol/checks.ts";
import {
  MAX_BYTES,
  MAX_LEVELS,
  MAX_MESSAGES,
} from "../protocol/kernel_bounds.ts";
import type { KernelMessage } from "../protocol/kernel_protocol.ts";
import { LineDecoder, LineTooLongError } from "../protocol/line_codec.ts";
import { LineWriter } from "../protocol/line_writer.ts";
import { closeInheritedOnExec } from "../sandbox/inherited_descriptors.ts";
import type { KernelProgram } from "./kernel_program.ts";
import { kernelCommand } from "./kernel_command.ts";
import { RateLimit } from "./rate_limit.ts";
import { RunningPlugins } from "./running_plugins.ts";
import { TextTail } from "./text_tail.ts";
import { within } from "./within.ts";

/** Options of starting and watching a kernel. */
export interface KernelProcessOptions {
  program: KernelProgram;
  /** Deno's flags, permissions included. */
  flags: string[];
  cwd: string;
  /** The command that runs another one in a sandbox. */
  confine(command: readonly string[]): string[];
  /** The whole environment. */
  environment: Record<string, string>;
  /** The run's token. */
  token: string;
  /** Milliseconds without an answer after which the kernel counts as hung. Default 10,000. */
  heartbeatMs?: number | undefined;
  /** Called once, before its first message is taken. */
  onSpeaks(): void;
  /** Each message, one after the other. */
  onMessage(message: KernelMessage): void;
  /** A line that the kernel or a plugin printed. */
  onPrint(line: string): void;
}

/** A kernel that answers nothing for this long is killed. */
const HEARTBEAT_MS = 10_000;
/** Bytes of one read. */
const READ_BYTES = 64 * 1024;
/** The same for what is printed. */
const MAX_PRINTED_BYTES = 16 * 1024 * 1024;
const RATE_WINDOW_MS = 10_000;
/** Silence after which the pipe of a dead kernel counts as drained. */
const DRAIN_MS = 250;
/** Number of looks; a writer that still prints then is not the kernel. */
const MAX_DRAIN_ROUNDS = 4;
/** Characters that may wait for a kernel that does not read. */
const MAX_WAITING = 64 * 1024 * 1024;
/** Characters of its last words that a failure quotes. */
const LAST_WORDS = 2000;

/**
 * The kernel as a child process. Whatever happens to it, `done` settles: with
 * the reason when it failed, without one when it ended as it should or was
 * stopped.
 */
export class KernelProcess {
  /** Resolves once the process is dead and all that it said was heard; rejects with what `onMessage` threw. */
  readonly done: Promise<string | undefined>;
  readonly #options: KernelProcessOptions;
  readonly #child: Deno.ChildProcess;
  readonly #stdin: WritableStreamDefaultWriter<Uint8Array>;
  readonly #writer: LineWriter;
  readonly #stdout: ReadableStreamBYOBReader;
  readonly #stderr: ReadableStreamDefaultReader<Uint8Array>;
  readonly #lastWords = new TextTail(LAST_WORDS);
  readonly #plugins = new RunningPlugins();
  #failure: string | undefined;
  #hasEnded = false;
  #hasSpoken = false;
  #heardSomething = true;
  /** True after a sign of life. Printing is none: a plugin that never gives JavaScript back may print. */
  #hasSignOfLife = true;
  #expectsEnd = false;

  constructor(options: KernelProcessOptions) {
    this.#options = options;
    const { program, flags, cwd, environment, token } = options;
    const [executable = "", ...args] = options.confine(
      kernelCommand(program, flags),
    );
    closeInheritedOnExec();
    this.#child = new Deno.Command(executable, {
      args,
      cwd,
      // Its last words may become part of a message. Deno shall ask nobody
      // whether there is a newer one.
      env: { ...environment, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
      clearEnv: true,
      // Ctrl-C on the terminal is for the host alone.
      detached: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#stdin = this.#child.stdin.getWriter();
    this.#writer = new LineWriter(token, (bytes) => this.#stdin.write(bytes));
    this.#stdout = this.#child.stdout.getReader({ mode: "byob" });
    this.#stderr = this.#child.stderr.getReader();
    this.done = this.#watch();
  }

  /** True when it has said anything. */
  get hasSpoken(): boolean {
    return this.#hasSpoken;
  }

  /** True when the process is dead. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Rejects when the kernel is gone; whoever does not wait need not catch. */
  send(message: HostMessage): Promise<void> {
    if (this.#writer.waiting > MAX_WAITING) {
      this.breakOff("it does not read what it asked for");
    }
    return this.#writer.send(message);
  }

  /** The same for a message that is JSON already. Its sender looks at what is `waiting`. */
  sendJson(json: string): Promise<void> {
    return this.#writer.sendJson(json);
  }

  /** Characters that wait for the kernel to read them. */
  get waiting(): number {
    return this.#writer.waiting;
  }

  /** Ends the process, which did what no kernel does. */
  breakOff(why: string): void {
    this.#fail(`The kernel broke the protocol: ${why}`);
  }

  /** It was told to end: that it does is no failure. */
  expectEnd(): void {
    this.#expectsEnd = true;
  }

  /** The plugin whose code it was in when it failed, as it said itself. */
  get blamed(): string | undefined {
    return this.#plugins.last;
  }

  /** Ends the process at once; its children are for the caller. */
  kill(): void {
    // Why it died before stays known.
    if (!this.#hasEnded) this.#expectsEnd = true;
    this.#signalKill();
  }

  async #watch(): Promise<string | undefined> {
    const heartbeat = this.#startHeartbeat();
    const reading = Promise.all([
      this.#readMessages(),
      this.#readPrints(),
    ]);
    // Thrown again below, when the process is dead.
    reading.catch(() => this.#signalKill());
    const status = await this.#child.status;
    this.#hasEnded = true;
    clearInterval(heartbeat);
    try {
      await this.#drain(reading);
    } finally {
      await this.#stdin.abort().catch(() => {});
    }
    if (!this.#expectsEnd) this.#fail(describeEnd(status));
    return this.#failure;
  }

  /**
   * Hears out what a dead kernel had written. The pipes may stay open, where a
   * process that it started has inherited them: then silence is the end.
   */
  async #drain(reading: Promise<unknown>): Promise<void> {
    for (let round = 0; round < MAX_DRAIN_ROUNDS;) {
      this.#heardSomething = false;
      if (await within(DRAIN_MS, reading)) break;
      if (!this.#heardSomething) break;
      round++;
    }
    await Promise.all([this.#stdout.cancel(), this.#stderr.cancel()]);
    await reading;
  }

  #fail(reason: string): void {
    if (this.#failure !== undefined || this.#expectsEnd) return;
    const words = this.#lastWords.text.trim();
    const blamed = reason + this.#plugins.blame;
    this.#failure = words === ""
      ? blamed
      : `${blamed}; its last words:\n${words}`;
    this.#signalKill();
  }

  #signalKill(): void {
    try {
      this.#child.kill("SIGKILL");
    } catch (error) {
      // It is dead already.
      if (!(error instanceof TypeError)) throw error;
    }
  }

  async #readMessages(): Promise<void> {
    const decoder = new LineDecoder(this.#options.token);
    const rate = new RateLimit(MAX_BYTES, RATE_WINDOW_MS);
    const messages = new RateLimit(MAX_MESSAGES, RATE_WINDOW_MS);
    const printed = new RateLimit(MAX_PRINTED_BYTES, RATE_WINDOW_MS);
    let buffer = new ArrayBuffer(READ_BYTES);
    try {
      while (true) {
        const { value, done } = await this.#stdout.read(
          new Uint8Array(buffer),
        );
        this.#heardSomething = true;
        if (done || !value || this.#failure !== undefined) break;
        if (!rate.allows(value.length)) return this.#flooded("messages");
        for (const line of decoder.push(value)) {
          if (this.#failure !== undefined) return;
          if (line.kind === "message") {
            const isMany = this.#take(line.value) && !messages.allows(1);
            if (isMany) return this.#flooded("messages");
          } else if (!printed.allows(line.text.length + 1)) {
            return this.#flooded("text");
          } else this.#options.onPrint(line.text);
        }
        buffer = value.buffer;
      }
      for (const line of decoder.finish()) {
        if (line.kind === "foreign") this.#options.onPrint(line.text);
      }
    } catch (error) {
      if (!(error instanceof LineTooLongError)) throw error;
      this.#fail(`The kernel flooded its pipe: ${error.message}`);
    }
  }

  /** True for what counts towards the number of messages. */
  #take(value: unknown): boolean {
    if (!this.#hasSpoken) {
      this.#hasSpoken = true;
      this.#options.onSpeaks();
    }
    this.#hasSignOfLife = true;
    if (isNestedDeeper(value, MAX_LEVELS) || !isKernelMessage(value)) {
      this.breakOff("it sent an unknown message");
      return false;
    }
    this.#options.onMessage(value);
    return value.type !== "update";
  }

  async #readPrints(): Promise<void> {
    const rate = new RateLimit(MAX_PRINTED_BYTES, RATE_WINDOW_MS);
    const decoder = new TextDecoder();
    let rest = "";
    while (true) {
      const { value: chunk, done } = await this.#stderr.read();
      if (done) break;
      const text = decoder.decode(chunk, { stream: true });
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > READ_BYTES) {
        lines.push(rest);
        rest = "";
      }
      for (const line of lines) {
        const printed = this.#withoutMark(line);
        if (printed === undefined) continue;
        if (!rate.allows(printed.length + 1)) return this.#flooded("text");
        this.#lastWords.add(`${printed}\n`);
        this.#options.onPrint(printed);
      }
    }
    if (rest === "") return;
    this.#lastWords.add(rest);
    this.#options.onPrint(rest);
  }

  /** Returns the printed part of a line; undefined when all of it notes that a plugin runs. */
  #withoutMark(line: string): string | undefined {
    const { token } = this.#options;
    const at = line.indexOf(`${token} `);
    if (at === -1 || !this.#plugins.take(line.slice(at + token.length + 1))) {
      return line;
    }
    return at === 0 ? undefined : line.slice(0, at);
  }

  #flooded(what: string): void {
    this.#fail(`The kernel flooded its pipe: too much ${what}`);
  }

  /**
   * Counts ticks of this process, not time: while the machine sleeps or this
   * process is stopped, nothing is counted.
   */
  #startHeartbeat(): ReturnType<typeof setInterval> {
    const limitMs = this.#options.heartbeatMs ?? HEARTBEAT_MS;
    const tickMs = Math.min(1000, limitMs / 5);
    let silentMs = 0;
    let n = 0;
    return setInterval(() => {
      if (this.#hasSignOfLife) {
        this.#hasSignOfLife = false;
        silentMs = 0;
        this.send({ type: "ping", n: n++ });
        return;
      }
      silentMs += tickMs;
      if (silentMs >= limitMs) {
        this.#fail(
          `The kernel hung: no sign of life for ${
            Math.round(silentMs / 1000)
          } s`,
        );
      }
    }, tickMs);
  }
}

/** Signals that end a program, as shells and sandboxes tell of them: by a code from 128. */
const SIGNALS: Partial<Record<number, Deno.Signal>> = {
  4: "SIGILL",
  5: "SIGTRAP",
  6: "SIGABRT",
  7: "SIGBUS",
  9: "SIGKILL",
  11: "SIGSEGV",
  15: "SIGTERM",
  25: "SIGXFSZ",
};

/** Looks at a value level by level: a message may be made to exhaust the stack of who follows it down. */
function isNestedDeeper(value: unknown, levels: number): boolean {
  let level: object[] = isObject(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > levels) return true;
    level = level.flatMap((outer) => Object.values(outer).filter(isObject));
  }
  return false;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function describeEnd({ code, signal }: Deno.CommandStatus): string {
  const name = signal ?? SIGNALS[code - 128];
  return name === undefined
    ? `The kernel ended by itself with code ${code}`
    : `The kernel was ended by ${name}`;
}
