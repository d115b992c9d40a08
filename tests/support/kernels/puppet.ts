import { LineDecoder } from "../../../src/protocol/line_codec.ts";
import { LineWriter } from "../../../src/protocol/line_writer.ts";

/**
 * One thing that a kernel does. A list of them, as JSON, is the prompt of a
 * run with this kernel.
 */
export type PuppetStep =
  /** Whatever it is, as a message. */
  | { send: unknown }
  /** Many copies of one message at once. */
  | { flood: unknown; times: number }
  /** An event of that many bytes. */
  | { sendLong: number }
  /** Text on stdout, as it is. */
  | { print: string }
  /** Text on stdout without end, in pieces. */
  | { printForEver: string }
  | { printError: string }
  /** Waits for that many messages of the host and shows them on stderr. */
  | { hear: number }
  /** Milliseconds in which it only answers heartbeats. */
  | { pause: number }
  /** Shows the setup and its own environment on stderr. */
  | { show: "setup" }
  /** A process that leaves the group, in the background; what of the pipes it keeps. */
  | { child: string; keeps?: "stdout" | "stderr" }
  | { exit: number }
  | { signal: Deno.Signal }
  /** Never gives JavaScript back. */
  | { spin: true }
  /** Fills the heap. */
  | { allocate: true };

/** A kernel without a session: it does what the prompt says, and then nothing. */
async function main(): Promise<void> {
  const decoder = new LineDecoder();
  const arrived: unknown[] = [];
  let wake = () => {};
  const setup = Promise.withResolvers<object>();
  const prompted = Promise.withResolvers<string>();
  const write = async (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length;) {
      at += await Deno.stdout.write(bytes.subarray(at));
    }
  };
  let writer: LineWriter | undefined;
  (async () => {
    const buffer = new Uint8Array(64 * 1024);
    for (
      let count = await Deno.stdin.read(buffer);
      count !== null;
      count = await Deno.stdin.read(buffer)
    ) {
      for (const line of decoder.push(buffer.subarray(0, count))) {
        if (line.kind !== "message") continue;
        const message = line.value as { type: string; n: number };
        writer ??= new LineWriter(decoder.token as string, write);
        if (message.type === "start") {
          setup.resolve((line.value as { setup: object }).setup);
        } else if (message.type === "prompt") {
          prompted.resolve((line.value as { content: string }).content);
        } else if (message.type === "ping") {
          writer.send({ type: "pong", n: message.n });
        } else if (message.type === "probe") {
          const ring = { read: "held", write: "held", connect: "held" };
          const report = { operations: ring, deno: ring, system: ring };
          writer.send({ type: "probed", report });
        } else {
          arrived.push(message);
          wake();
        }
      }
    }
    Deno.exit(0);
  })();

  const rest = await setup.promise;
  const prompt = await prompted.promise;
  const send = (message: unknown) => (writer as LineWriter).send(message);
  for (const step of JSON.parse(prompt) as PuppetStep[]) {
    if ("send" in step) await send(step.send);
    else if ("flood" in step) {
      const sent = Array.from({ length: step.times }, () => send(step.flood));
      await Promise.all(sent);
    } else if ("sendLong" in step) {
      const padding = "x".repeat(step.sendLong);
      await send({ type: "event", event: { type: "agent_start", padding } });
    } else if ("print" in step) {
      await write(new TextEncoder().encode(step.print));
    } else if ("printForEver" in step) {
      const bytes = new TextEncoder().encode(step.printForEver.repeat(10_000));
      while (true) await write(bytes);
    } else if ("printError" in step) {
      tell(step.printError);
    } else if ("hear" in step) {
      while (arrived.length < step.hear) {
        await new Promise<void>((resolve) => wake = resolve);
      }
      for (const message of arrived.splice(0, step.hear)) {
        tell(`heard ${JSON.stringify(message)}\n`);
      }
    } else if ("pause" in step) {
      await new Promise((resolve) => setTimeout(resolve, step.pause));
    } else if ("show" in step) {
      tell(`setup ${JSON.stringify({ prompt: "", ...rest })}\n`);
    } else if ("child" in step) startChild(step.child, step.keeps);
    else if ("exit" in step) Deno.exit(step.exit);
    else if ("signal" in step) {
      const command = `kill -s ${step.signal.slice(3)} ${Deno.pid}`;
      await new Deno.Command("sh", { args: ["-c", command] }).output();
    } else if ("spin" in step) { while (true); }
    else {
      const kept: number[][] = [];
      while (true) kept.push(new Array(100_000).fill(kept.length));
    }
  }
}

/** Writes on stderr before anything else happens. */
function tell(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(text));
}

function startChild(command: string, keeps?: "stdout" | "stderr"): void {
  new Deno.Command("setsid", {
    args: ["sh", "-c", command],
    stdin: "null",
    stdout: keeps === "stdout" ? "inherit" : "null",
    stderr: keeps === "stderr" ? "inherit" : "null",
  }).spawn();
}

await main();
