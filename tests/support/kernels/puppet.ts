import { LineDecoder } from "../../../src/protocol/line_codec.ts";
import { LineWriter } from "../../../src/protocol/line_writer.ts";

/** One thing that a kernel does when it is given a call of bash. */
export type PuppetStep =
  /** Whatever it is, as a message; `"$call"` stands for the id of the call. */
  | { send: unknown }
  /** Many copies of one message at once. */
  | { flood: unknown; times: number }
  /** A message of that many bytes. */
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
  /** Shows the setup, or the call, on stderr. */
  | { show: "setup" | "call" }
  /** A process that leaves the group, in the background; what of the pipes it keeps. */
  | { child: string; keeps?: "stdout" | "stderr" }
  | { exit: number }
  | { signal: Deno.Signal }
  /** Never gives JavaScript back. */
  | { spin: true }
  /** Fills the heap. */
  | { allocate: true };

/** Steps of a kernel before it says that it is there, and at each call. */
export interface PuppetScript {
  start?: PuppetStep[];
  call?: PuppetStep[];
}

/** A kernel that does what its call says: the command is its script, as JSON, the result is `done`. */
async function main(): Promise<void> {
  const decoder = new LineDecoder();
  const arrived: unknown[] = [];
  let wake = () => {};
  let setup: object = {};
  const calls = new Map<number, object>();
  const write = async (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length;) {
      at += await Deno.stdout.write(bytes.subarray(at));
    }
  };
  let writer: LineWriter | undefined;
  const send = (message: unknown) => (writer as LineWriter).send(message);

  const run = async (steps: PuppetStep[], callId: number) => {
    const filled = (message: unknown) =>
      JSON.parse(
        JSON.stringify(message).replaceAll('"$call"', String(callId)),
      );
    for (const step of steps) {
      if ("send" in step) await send(filled(step.send));
      else if ("flood" in step) {
        const sent = Array.from(
          { length: step.times },
          () => send(filled(step.flood)),
        );
        await Promise.all(sent);
      } else if ("sendLong" in step) {
        const text = "x".repeat(step.sendLong);
        const content = [{ type: "text", text }];
        await send({ type: "update", callId, result: { content } });
      } else if ("print" in step) {
        await write(new TextEncoder().encode(step.print));
      } else if ("printForEver" in step) {
        const bytes = new TextEncoder().encode(
          step.printForEver.repeat(10_000),
        );
        while (true) await write(bytes);
      } else if ("printError" in step) tell(step.printError);
      else if ("hear" in step) {
        while (arrived.length < step.hear) {
          await new Promise<void>((resolve) => wake = resolve);
        }
        for (const message of arrived.splice(0, step.hear)) {
          tell(`heard ${JSON.stringify(message)}\n`);
        }
      } else if ("pause" in step) {
        await new Promise((resolve) => setTimeout(resolve, step.pause));
      } else if ("show" in step) {
        const shown = step.show === "setup" ? setup : calls.get(callId);
        tell(`${step.show} ${JSON.stringify(shown)}\n`);
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
  };

  const buffer = new Uint8Array(64 * 1024);
  for (
    let count = await Deno.stdin.read(buffer);
    count !== null;
    count = await Deno.stdin.read(buffer)
  ) {
    for (const line of decoder.push(buffer.subarray(0, count))) {
      if (line.kind !== "message") continue;
      // deno-lint-ignore no-explicit-any -- whatever the host says
      const message = line.value as any;
      writer ??= new LineWriter(decoder.token as string, write);
      if (message.type === "start") {
        setup = message.setup;
        const { start = [] } = await scriptIn(message.setup.cwd);
        await run(start, 0);
        send({ type: "hello", version: 1 });
      } else if (message.type === "call") {
        const { callId, args } = message;
        calls.set(callId, message);
        const { call = [] } = JSON.parse(args.command) as PuppetScript;
        const content = [{ type: "text", text: "done" }];
        run(call, callId).then(() =>
          send({ type: "result", callId, result: { content } })
        );
      } else if (message.type === "ping") send({ type: "pong", n: message.n });
      else if (message.type === "ask" && message.kind === "probe") {
        const ring = { read: "held", write: "held", connect: "held" };
        const report = { operations: ring, deno: ring, system: ring };
        const { askId, kind } = message;
        send({ type: "answer", askId, kind, value: { report } });
      } else {
        arrived.push(message);
        wake();
      }
    }
  }
  Deno.exit(0);
}

/** Steps at the start stand in a file, since nothing else is known by then. */
async function scriptIn(cwd: string): Promise<PuppetScript> {
  try {
    return JSON.parse(await Deno.readTextFile(`${cwd}/puppet.json`));
  } catch {
    return {};
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
