import type { HostMessage } from "../protocol/kernel_messages.ts";
import type { KernelMessage } from "../protocol/kernel_protocol.ts";
import { LineDecoder } from "../protocol/line_codec.ts";
import { LineWriter } from "../protocol/line_writer.ts";

/** The way to a host: over pipes, or within one process. */
export interface HostLink {
  /** Marks the notes on whose code runs; undefined where nobody reads them. */
  readonly token: string | undefined;
  /** The host's messages, in order; they end when it is gone. */
  readonly messages: AsyncIterable<HostMessage>;
  /** Resolves when the message is on its way; rejects when the host is gone. */
  send(message: KernelMessage): Promise<void>;
}

/** Bytes that one read of stdin may bring. */
const READ_BYTES = 64 * 1024;

/** Opens the way over stdin and stdout; undefined when the host says nothing. */
export async function openHostLink(): Promise<HostLink | undefined> {
  const decoder = new LineDecoder();
  const messages = readMessages(decoder);
  const { value: first } = await messages.next();
  if (!first) return undefined;
  const token = decoder.token as string;
  const writer = new LineWriter(token, writeAll);
  return {
    token,
    messages: withFirst(first, messages),
    send: (message) => writer.send(message),
  };
}

async function* withFirst(
  first: HostMessage,
  others: AsyncIterable<HostMessage>,
): AsyncGenerator<HostMessage> {
  yield first;
  yield* others;
}

async function* readMessages(
  decoder: LineDecoder,
): AsyncGenerator<HostMessage, undefined> {
  const buffer = new Uint8Array(READ_BYTES);
  while (true) {
    const count = await Deno.stdin.read(buffer);
    if (count === null) return;
    for (const line of decoder.push(buffer.subarray(0, count))) {
      if (line.kind === "message") yield line.value as HostMessage;
    }
  }
}

async function writeAll(bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    at += await Deno.stdout.write(bytes.subarray(at));
  }
}
