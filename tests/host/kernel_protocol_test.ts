import assert from "node:assert/strict";
import { emptyUsage, type Message } from "../../src/model/message.ts";
import type { KernelMessage } from "../../src/protocol/kernel_schemas.ts";
import type { RunEvent } from "../../src/protocol/event_schemas.ts";
import {
  type HostRun,
  type HostRunOptions,
  runPuppet,
} from "../support/host_run.ts";
import type { PuppetStep } from "../support/kernels/puppet.ts";
import { say, startProviderDouble } from "../support/provider_double.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const END: KernelMessage = { type: "end", outcome: { kind: "completed" } };
const USER = { role: "user", content: "hi", timestamp: 1 };

function eventStep(event: Partial<RunEvent>, stored?: number): PuppetStep {
  return { send: { type: "event", event, stored } };
}

function ask(marker: string, askId = 0): PuppetStep {
  return { send: { type: "ask", askId, service: "kill_call", marker } };
}

function modelRequest(requestId: number, ...messages: unknown[]): PuppetStep {
  const request = { requestId, messages, options: {} };
  return { send: { type: "model_request", request } };
}

/** Runs a puppet in a fresh folder; no process may be left. */
async function run(
  steps: PuppetStep[],
  options: Omit<HostRunOptions, "cwd"> = {},
): Promise<HostRun> {
  let run: HostRun | undefined;
  await inTempFolder(async (cwd) => {
    run = await runPuppet(steps, { ...options, cwd });
  });
  assert.deepEqual(run?.left, []);
  return run as HostRun;
}

/** Messages of the host that the puppet heard. */
function heard({ log }: HostRun): Record<string, unknown>[] {
  return log.filter((line) => line.startsWith("heard "))
    .map((line) => JSON.parse(line.slice("heard ".length)));
}

Deno.test("startRun() tells events from what a plugin prints between them", async () => {
  const { result, events, log } = await run([
    { print: "a line\nno line break" },
    eventStep({ type: "turn_start" }),
    { print: "\r\n\u001b[31mred" },
    eventStep({ type: "turn_end" }),
    { print: '{"type":"end"}\n' },
    { send: END },
  ], {
    env: { OPENAI_API_KEY: "test-key" },
    // No commands: nothing is said of what confines them.
    tools: ["read"],
  });
  assert.equal(result.status, "completed");
  assert.deepEqual(events.slice(1), [{ type: "turn_start" }, {
    type: "turn_end",
  }]);
  assert.deepEqual(log, [
    "a line",
    "no line break",
    "\r",
    "\u001b[31mred",
    '{"type":"end"}',
  ]);
});

const BROKEN: Record<string, PuppetStep> = {
  "an unknown message": { send: { type: "read_key" } },
  "a list": { send: [] },
  "an event without its message": eventStep({ type: "message_end" }, 0),
  "a result of nothing": eventStep({
    type: "tool_execution_end",
    toolCallId: "c",
    toolName: "ls",
  }),
  "a message stored out of order": eventStep(
    { type: "message_end", message: USER } as RunEvent,
    2 ** 40,
  ),
};

for (const [what, step] of Object.entries(BROKEN)) {
  Deno.test(`startRun() ends a kernel that sends ${what}`, async () => {
    const { result, events } = await run([
      eventStep({ type: "turn_start" }),
      step,
      eventStep({ type: "turn_end" }),
      { send: END },
    ]);
    assert.equal(result.status, "kernel_failed");
    assert.match(result.error?.message ?? "", /^The kernel broke the protocol/);
    assert(!events.some(({ type }) => type === "turn_end"));
  });
}

Deno.test("startRun() has no model answer a request for a message that is not stored", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [say("secret")],
  });
  const ended = await run([
    eventStep({ type: "message_end", message: USER } as RunEvent, 0),
    modelRequest(1, 0, 1),
    { hear: 1 },
    { send: END },
  ], { env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: double.url } });
  assert.deepEqual(heard(ended), [{
    type: "model_deltas",
    requestId: 1,
    deltas: [{
      type: "error",
      reason: "error",
      errorMessage: "the kernel named message 1, which is not stored",
    }],
  }]);
  assert.deepEqual(double.requests, []);
});

Deno.test("startRun() asks the model with the messages that the kernel stored", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [say("yes")],
  });
  const ended = await run([
    eventStep({ type: "message_end", message: USER } as RunEvent, 0),
    modelRequest(0, 0),
    { hear: 1 },
    { send: END },
  ], { env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: double.url } });
  assert.equal(heard(ended)[0]?.type, "model_deltas");
  const body = double.requests[0]?.body as { messages: unknown[] };
  assert.deepEqual(body.messages, [{ role: "user", content: "hi" }]);
});

Deno.test("startRun() refuses model requests beyond eight at once and numbers that are in use", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: Array.from({ length: 20 }, () => ({ hang: true })),
  });
  const requests = [0, 1, 2, 3, 4, 5, 6, 7, 3, 8, 9]
    .map((id) => modelRequest(id, USER));
  const ended = await run([...requests, { hear: 3 }, { send: END }], {
    env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: double.url },
  });
  assert.equal(ended.result.status, "completed");
  assert.deepEqual(
    heard(ended).map(({ requestId, deltas }) => [
      requestId,
      (deltas as { errorMessage: string }[])[0]?.errorMessage,
    ]),
    [
      [3, "request 3 is being answered"],
      [8, "more than 8 model requests at once"],
      [9, "more than 8 model requests at once"],
    ],
  );
  assert(double.requests.length <= 8);
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
      ...markers.map((marker, i) => ask(marker, i)),
      { hear: markers.length },
      { send: END },
    ]);
    assert.deepEqual(
      heard(ended).map(({ type, askId }) => [type, askId]),
      markers.map((_, i) => ["reply", i]),
    );
    for (const { error } of heard(ended)) {
      assert.match(String(error), /not a marker/);
    }
  } finally {
    bystander.kill("SIGTERM");
  }
  assert.equal((await bystander.status).signal, "SIGTERM");
});

Deno.test("startRun() kills the processes of one call and answers", async () => {
  const marker = crypto.randomUUID();
  const ended = await run([
    { child: `TAU_CALL=${marker} exec sleep 300` },
    ask(marker, 5),
    { hear: 1 },
    { send: END },
  ]);
  assert.deepEqual(heard(ended), [{ type: "reply", askId: 5 }]);
});

Deno.test("startRun() survives a kernel that asks for thousands of searches", async () => {
  const marker = crypto.randomUUID();
  const message = { type: "ask", askId: 0, service: "kill_call", marker };
  const startMs = performance.now();
  const { result } = await run([
    eventStep({ type: "turn_start" }),
    { flood: message, times: 20_000 },
    { send: END },
  ], { timeoutMs: 500 });
  assert.equal(result.status, "timeout");
  assert(performance.now() - startMs < 3000);
});

Deno.test("startRun() does not take an abort that nobody asked for as a success", async () => {
  const { result } = await run([
    { send: { type: "end", outcome: { kind: "aborted" } } },
  ]);
  assert.equal(result.status, "internal_error");
  assert.equal(result.exitCode, 1);
});

Deno.test("startRun() believes no kernel about what an answer cost", async () => {
  const message: Message = {
    role: "assistant",
    content: [{ type: "text", text: "cheap" }],
    api: "openai-completions",
    provider: "test",
    model: "test",
    stopReason: "stop",
    timestamp: 1,
    usage: { ...emptyUsage(), input: 1e9, output: 1e9 },
  };
  const { result } = await run([
    eventStep({ type: "message_end", message }, 0),
    { send: END },
  ]);
  assert.equal(result.usage.totalTokens, 0);
  assert.equal(result.text, "cheap");
});
