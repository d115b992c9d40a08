import { runCli } from "../../src/cli/run_cli.ts";

/** What a command line printed, and its exit code. */
export interface Printed {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command line in this process, on streams in memory. */
export async function runHere(
  args: string[],
  { env = {}, stdin = new FakeSource([]), terminal = false, error }: {
    env?: Record<string, string>;
    stdin?: FakeSource;
    terminal?: boolean;
    /** Thrown by writes to stdout. */
    error?: Error | undefined;
  } = {},
): Promise<Printed> {
  const stdout = new FakeSink(terminal);
  const stderr = new FakeSink(terminal);
  stdout.error = error;
  const kernel = { entry: new URL("file:///kernel.ts") };
  const code = await runCli({ args, env, stdin, stdout, stderr, kernel });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** A stream that keeps what is written to it, and fails or stalls when told to. */
export class FakeSink {
  text = "";
  /** Thrown by the next writes. */
  error: Error | undefined;
  /** Bytes that one write takes at most. */
  maxBytes = Infinity;
  /** A write waits for it. */
  gate: Promise<void> = Promise.resolve();
  #isTerminal: boolean;
  #decoder = new TextDecoder();

  constructor(isTerminal = false) {
    this.#isTerminal = isTerminal;
  }

  isTerminal(): boolean {
    return this.#isTerminal;
  }

  async write(bytes: Uint8Array): Promise<number> {
    await this.gate;
    if (this.error) throw this.error;
    const taken = bytes.subarray(0, this.maxBytes);
    this.text += this.#decoder.decode(taken, { stream: true });
    return taken.length;
  }
}

/** A stream that hands out the given chunks; counts reads. */
export class FakeSource {
  reads = 0;
  #chunks: Uint8Array[];
  #isTerminal: boolean;

  constructor(chunks: (string | Uint8Array)[], isTerminal = false) {
    const encoder = new TextEncoder();
    this.#chunks = chunks.map((chunk) =>
      typeof chunk === "string" ? encoder.encode(chunk) : chunk
    );
    this.#isTerminal = isTerminal;
  }

  isTerminal(): boolean {
    return this.#isTerminal;
  }

  read(buffer: Uint8Array): Promise<number | null> {
    this.reads++;
    const chunk = this.#chunks.shift();
    if (!chunk) return Promise.resolve(null);
    const taken = chunk.subarray(0, buffer.length);
    buffer.set(taken);
    if (taken.length < chunk.length) {
      this.#chunks.unshift(chunk.subarray(taken.length));
    }
    return Promise.resolve(taken.length);
  }
}
