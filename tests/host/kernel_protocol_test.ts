import assert from "node:assert/strict";
import fc from "fast-check";
import { isKernelMessage, KERNEL_RULES } from "../../src/protocol/checks.ts";
import type { KernelPhase } from "../../src/protocol/kernel_bounds.ts";
import type {
  KernelMessage,
  KernelMessageType,
} from "../../src/protocol/kernel_protocol.ts";
import { type HostRun, resultOf, runPuppet } from "../support/host_run.ts";
import type { PuppetStep } from "../support/kernels/puppet.ts";
import { playKernel } from "../support/played_kernel.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const result = { content: [{ type: "text" as const, text: "forged" }] };
const id = fc.nat({ max: 6 });

/** Messages that the schemas take, whether or not anybody wants them. */
const messages: fc.Arbitrary<KernelMessage> = fc.oneof(
  fc.constant<KernelMessage>({ type: "hello", version: 1 }),
  fc.constant<KernelMessage>({ type: "ready" }),
  fc.constant<KernelMessage>({
    type: "declare",
    plugins: [],
    tools: [],
    commands: [],
    flags: [],
    listens: [],
  }),
  id.map((callId): KernelMessage => ({ type: "update", callId, result })),
  id.map((callId): KernelMessage => ({ type: "result", callId, result })),
  id.map((callId): KernelMessage => ({
    type: "result",
    callId,
    error: { kind: "fatal", message: "forged" },
  })),
  id.map((askId): KernelMessage => ({
    type: "answer",
    askId,
    kind: "tool_call",
    value: { block: false },
  })),
  id.map((askId): KernelMessage => ({
    type: "answer",
    askId,
    kind: "failed",
    error: "forged",
  })),
  id.map((requestId): KernelMessage => ({
    type: "request",
    requestId,
    kind: "kill",
    marker: "m",
  })),
  id.map((requestId): KernelMessage => ({ type: "retract", requestId })),
  fc.constant<KernelMessage>({ type: "tell", kind: "abort" }),
  fc.constant<KernelMessage>({ type: "refused", access: "read", count: 1 }),
  id.map((n): KernelMessage => ({ type: "heard", n })),
  id.map((n): KernelMessage => ({ type: "pong", n })),
);

const HELLO: KernelMessage = { type: "hello", version: 1 };

Deno.test("KernelPeer.take() settles each open call and question at most once, and breaks off what is out of place", async () => {
  const broken = new Set<string>();
  let settledCalls = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.nat({ max: 8 }),
      fc.array(messages, { maxLength: 30 }),
      async (loads, isWild, others) => {
        // Most begin as they should.
        const said = isWild === 0 ? others : [
          HELLO,
          ...loads ? [{ type: "ready" } as const] : [],
          ...others,
        ];
        const { peer, heard } = playKernel({ loads });
        const outcomes: string[] = [];
        let phase: KernelPhase = "starting";
        const openCalls = new Set<number>();
        const openAsks = new Map<number, string>();
        let calls = 0;
        let asks = 0;
        const requests = new Set<number>();
        const note = (name: string) => ({
          then: (work: Promise<unknown>) =>
            work.then(
              (value) => outcomes.push(`${name} ${JSON.stringify(value)}`),
              (error) => outcomes.push(`${name} ${error.constructor.name}`),
            ),
        });
        for (const message of said) {
          assert(isKernelMessage(message));
          if (phase === "serving" && calls < 3) {
            openCalls.add(calls);
            note(`call ${calls++}`).then(peer.call({
              from: "built_in",
              tool: "read",
              toolCallId: "c",
              args: {},
            }, { signal: undefined, onUpdate: undefined }));
            openAsks.set(asks, "tool_call");
            note(`ask ${asks++}`).then(peer.ask("tool_call", {
              toolName: "read",
              toolCallId: "c",
              input: {},
            }));
          }
          const before = heard.length;
          peer.take(message);
          const { phases } = KERNEL_RULES[message.type];
          const isInPlace: boolean = phases.includes(phase) &&
            isExpected(message, { calls, asks, requests });
          assert.equal(peer.isGone, !isInPlace, JSON.stringify(said));
          if (!isInPlace) {
            assert.equal(heard.length, before);
            broken.add(message.type);
            break;
          }
          if (message.type === "hello") phase = loads ? "loading" : "serving";
          if (message.type === "ready") phase = "serving";
          if (message.type === "request") requests.add(message.requestId);
          if (message.type === "result" && openCalls.delete(message.callId)) {
            settledCalls++;
          }
          if (message.type === "answer") openAsks.delete(message.askId);
        }
        peer.die("over");
        await new Promise((resolve) => setTimeout(resolve));
        // Each exactly once.
        assert.deepEqual(
          outcomes.map((text) => text.split(" ", 2).join(" ")).toSorted(),
          [
            ...Array.from({ length: calls }, (_, n) => `call ${n}`),
            ...Array.from({ length: asks }, (_, n) => `ask ${n}`),
          ].toSorted(),
        );
        // Of a built-in tool no error ends the run.
        assert(!outcomes.some((text) => text.includes("NonRecoverable")));
      },
    ),
    { numRuns: 2000 },
  );
  assert(settledCalls > 50, `${settledCalls} calls`);
  const types = Object.keys(KERNEL_RULES) as KernelMessageType[];
  assert.deepEqual(
    types.filter((type) => !broken.has(type)).toSorted(),
    // These may always come, or were never out of place.
    ["pong"],
  );
});

/** True where the ids of a message were given once, or are new where the kernel gives them. */
function isExpected(
  message: KernelMessage,
  { calls, asks, requests }: {
    calls: number;
    asks: number;
    requests: ReadonlySet<number>;
  },
): boolean {
  switch (message.type) {
    case "update":
    case "result":
      return message.callId < calls;
    case "answer":
      return message.askId < asks;
    case "request":
      return message.requestId > Math.max(-1, ...requests);
    case "retract":
      return message.requestId <= Math.max(-1, ...requests);
    default:
      return true;
  }
}

/** Runs a puppet in a fresh folder; no process may be left. */
async function run(
  steps: PuppetStep[],
  options: { start?: PuppetStep[] } = {},
): Promise<HostRun> {
  let run: HostRun | undefined;
  await inTempFolder(async (cwd) => {
    run = await runPuppet(steps, { ...options, cwd });
  });
  assert.deepEqual(run?.left, []);
  return run as HostRun;
}

const CONTENT = [{ type: "text", text: "forged" }];
let deep: unknown = {};
for (let level = 0; level < 100; level++) deep = { deep };

/** Lines that break the protocol while a call of bash is open. */
const BROKEN: Record<string, unknown> = {
  "an unknown message": { type: "read_key" },
  "a list": [],
  "an event of the old protocol": {
    type: "event",
    event: { type: "agent_end" },
  },
  "the end of the run": { type: "end", outcome: { kind: "completed" } },
  "a request to the model": { type: "model_request", request: {} },
  "a result of a call that was never made": {
    type: "result",
    callId: 7,
    result: { content: CONTENT },
  },
  "a result with a cost below nothing": {
    type: "result",
    callId: "$call",
    result: { content: CONTENT, usage: { input: -1 } },
  },
  "an answer that nobody asked for": {
    type: "answer",
    askId: 99,
    kind: "tool_call",
    value: { block: false },
  },
  "a declaration while it serves without plugins being there": {
    type: "ready",
  },
  "a second greeting": { type: "hello", version: 1 },
  "a result that is nested too deep": {
    type: "result",
    callId: "$call",
    result: { content: CONTENT, details: deep },
  },
  "more refusals than can be": {
    type: "refused",
    access: "read",
    count: 1e9,
  },
};

for (const [what, send] of Object.entries(BROKEN)) {
  Deno.test(`startRun() ends a kernel that sends ${what}, and the run goes on`, async () => {
    const ended = await run([{ send }, { pause: 60_000 }]);
    assert.equal(ended.result.status, "completed");
    assert.match(
      ended.result.kernels?.[0]?.reason ?? "",
      /^The kernel broke the protocol/,
    );
    assert.match(resultOf(ended), /^The kernel ended while this call ran/);
    assert.equal(ended.result.turns, 2);
    assert.equal(ended.result.toolCalls, 1);
  });
}

Deno.test("startRun() takes one result of a call, and no vote or cost of a built-in tool", async () => {
  const usage = {
    input: 1e9,
    output: 1e9,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 2e9,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 9 },
  };
  const forged = (text: string) => ({
    send: {
      type: "result",
      callId: "$call",
      result: {
        content: [{ type: "text", text }],
        terminate: true,
        addedToolNames: ["rm"],
        usage,
      },
    },
  });
  const ended = await run([forged("first"), forged("second")]);
  assert.equal(resultOf(ended), "first");
  assert.equal(ended.result.status, "completed");
  // A vote of a built-in tool would have ended the run here.
  assert.equal(ended.result.text, "ended");
  assert.equal(ended.result.usage.totalTokens, 0);
  assert.equal(ended.result.kernels, undefined);
});

Deno.test("startRun() kills nothing for a marker that is none", async () => {
  const home = "/some/ordinary/folder";
  const bystander = new Deno.Command("sleep", {
    args: ["300"],
    env: { TAU_CALL: home, HOME: home },
  }).spawn();
  try {
    const markers = ["", home, "x", "a\0b", "..", "*".repeat(40)];
    const ended = await run([
      ...markers.map((marker, requestId) => ({
        send: { type: "request", requestId, kind: "kill", marker },
      })),
      { hear: markers.length },
    ]);
    const replies = ended.log.filter((line) => line.startsWith("heard "))
      .map((line) => JSON.parse(line.slice("heard ".length)));
    assert.deepEqual(
      replies.map(({ type, requestId }) => [type, requestId]),
      markers.map((_, n) => ["reply", n]),
    );
    for (const { error } of replies) assert.match(error, /not a marker/);
  } finally {
    bystander.kill("SIGTERM");
  }
  assert.equal((await bystander.status).signal, "SIGTERM");
});

Deno.test("startRun() tells messages from what a kernel prints between them", async () => {
  const { result, log } = await run([
    { print: "a line\nno line break" },
    { send: { type: "pong", n: 1 } },
    { print: "\r\n\u001b[31mred\n" },
  ]);
  assert.equal(result.status, "completed");
  assert.deepEqual(log.filter((line) => !line.startsWith("tau:")), [
    "a line",
    "no line break",
    "\r",
    "\u001b[31mred",
  ]);
});
