import assert from "node:assert/strict";
import { Conversation } from "../../src/host/conversation.ts";
import { emptyUsage, textOf } from "../../src/model/message.ts";
import type {
  AssistantDelta,
  Context,
  DeltaSource,
} from "../../src/model/stream.ts";
import type { RunEvent } from "../../src/protocol/event_schemas.ts";
import { childEnvironment } from "../support/host_run.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const NEVER = new AbortController().signal;
/** Cheap, and not there: only the answers of the source count. */
const ENV = { TAU_HOME: "/nowhere" };

function text(words: string): AssistantDelta[] {
  return [
    { type: "text_start", contentIndex: 0 },
    { type: "text_delta", contentIndex: 0, delta: words },
    { type: "text_end", contentIndex: 0 },
    { type: "done", reason: "stop", usage: emptyUsage() },
  ];
}

function bash(command: string): AssistantDelta[] {
  const args = JSON.stringify({ command });
  return [
    { type: "toolcall_start", contentIndex: 0, id: "c", toolName: "bash" },
    { type: "toolcall_delta", contentIndex: 0, delta: args },
    { type: "toolcall_end", contentIndex: 0 },
    { type: "done", reason: "toolUse", usage: emptyUsage() },
  ];
}

interface Opened extends AsyncDisposable {
  conversation: Conversation;
  events: RunEvent[];
  log: string[];
  contexts: Context[];
  /** Resolves at the next event of this kind. */
  next(type: RunEvent["type"]): Promise<RunEvent>;
}

async function open(
  answers: AssistantDelta[][],
  { cwd, home, maxBudgetUsd }: {
    cwd: string;
    home?: string;
    maxBudgetUsd?: number;
  },
): Promise<Opened> {
  const contexts: Context[] = [];
  const events: RunEvent[] = [];
  const log: string[] = [];
  const waiting: { type: string; resolve(event: RunEvent): void }[] = [];
  const source: DeltaSource = async function* (_model, context) {
    contexts.push(context);
    yield answers[contexts.length - 1] ?? text("nothing more");
  };
  const conversation = await Conversation.open({
    cwd,
    model: "test/scripted",
    source,
    updates: false,
    limits: { maxBudgetUsd },
    env: { ...childEnvironment(), ...ENV, ...(home ? { TAU_HOME: home } : {}) },
    ...(home ? { session: {} } : {}),
    providers: {
      test: {
        api: "openai-completions",
        baseUrl: "http://127.0.0.1:9",
        models: [{ id: "scripted", cost: { input: 1, output: 1 } }],
      },
    },
    kernel: {
      entry: new URL("../../src/kernel/main.ts", import.meta.url),
      config: new URL("../../deno.json", import.meta.url),
    },
  }, {
    emit(event) {
      events.push(event);
      for (const one of waiting.splice(0)) {
        if (one.type === event.type) one.resolve(event);
        else waiting.push(one);
      }
    },
    log: (line) => log.push(line),
  });
  return {
    conversation,
    events,
    log,
    contexts,
    next: (type) => new Promise((resolve) => waiting.push({ type, resolve })),
    [Symbol.asyncDispose]: () => conversation.close(),
  };
}

function said({ messages }: Context | undefined = { messages: [] }): string[] {
  return messages.map((message) =>
    `${message.role}: ${textOf(message.content)}`
  );
}

Deno.test("Conversation.run() answers prompts one after the other, each with a record of its own", async () => {
  await inTempFolder(async (cwd) => {
    await using opened = await open([text("one"), text("two")], { cwd });
    const { conversation, contexts } = opened;
    const first = await conversation.run({ text: "a" }, NEVER);
    const second = await conversation.run({ text: "b" }, NEVER);
    assert.deepEqual(
      [first, second].map(({ status, text, turns }) => [status, text, turns]),
      [["completed", "one", 1], ["completed", "two", 1]],
    );
    assert.deepEqual(said(contexts[1]), [
      "user: a",
      "assistant: one",
      "user: b",
    ]);
  });
});

Deno.test("Conversation.steer() is heard before the next request, followUp() when the run would end", async () => {
  await inTempFolder(async (cwd) => {
    const answers = [
      bash("while [ ! -e go ]; do sleep 0.02; done"),
      text("done"),
      text("and more"),
    ];
    await using opened = await open(answers, { cwd });
    const { conversation, contexts, next } = opened;
    const started = next("tool_execution_start");
    const running = conversation.run({ text: "wait" }, NEVER);
    await started;
    await conversation.followUp({ text: "later" });
    await conversation.steer({ text: "sooner" });
    assert.deepEqual(conversation.state.queue, {
      steering: ["sooner"],
      followUp: ["later"],
    });
    Deno.writeTextFileSync(`${cwd}/go`, "");
    assert.equal((await running).status, "completed");
    assert.deepEqual(said(contexts[1]).slice(-1), ["user: sooner"]);
    assert.deepEqual(said(contexts[2]).slice(-2), [
      "assistant: done",
      "user: later",
    ]);
    assert.equal(conversation.hasQueued, false);
  });
});

Deno.test("Conversation.run() stopped in a tool leaves what is queued, and goes on with it", async () => {
  await inTempFolder(async (cwd) => {
    const answers = [bash("sleep 60"), text("hello again")];
    await using opened = await open(answers, { cwd });
    const { conversation, contexts, next } = opened;
    const started = next("tool_execution_start");
    const stop = new AbortController();
    const running = conversation.run({ text: "wait" }, stop.signal);
    await started;
    await conversation.steer({ text: "still there?" });
    stop.abort("interrupted");
    assert.equal((await running).status, "interrupted");
    assert.equal(contexts.length, 1);
    const { status, text: answer } = await conversation.run(undefined, NEVER);
    assert.deepEqual([status, answer], ["completed", "hello again"]);
    assert.deepEqual(said(contexts[1]).slice(-1), ["user: still there?"]);
  });
});

Deno.test("Conversation.command() runs a command of the user; its output joins the conversation unless it is private", async () => {
  await inTempFolder(async (cwd) => {
    await using opened = await open([text("I saw it")], { cwd });
    const { conversation, contexts } = opened;
    const name = "shell";
    assert.deepEqual(
      await conversation.command({
        name,
        command: "echo seen; exit 3",
        isPrivate: false,
      }),
      {
        output: "seen\n\nCommand exited with code 3",
        exitCode: 3,
        cancelled: false,
        truncated: false,
      },
    );
    await conversation.command({ name, command: "echo kept", isPrivate: true });
    await conversation.run({ text: "what was it?" }, NEVER);
    const [shown, ...rest] = said(contexts[0]);
    assert.match(shown ?? "", /^user: Ran `echo seen; exit 3`\n```\nseen/);
    assert.deepEqual(rest, ["user: what was it?"]);
  });
});

Deno.test("Conversation.run() tells the model that the kernel died in a call, and goes on with another kernel", async () => {
  await inTempFolder(async (folder) => {
    const cwd = `${folder}/work`;
    Deno.mkdirSync(cwd);
    const answers = [
      text("one"),
      bash("kill -9 $PPID"),
      bash("echo again"),
      text("back"),
    ];
    await using opened = await open(answers, { cwd, home: `${folder}/home` });
    const { conversation, contexts } = opened;
    await conversation.run({ text: "a" }, NEVER);
    const went = await conversation.run({ text: "b" }, NEVER);
    assert.deepEqual([went.status, went.text], ["completed", "back"]);
    assert.equal(went.kernels?.length, 1);
    const results = said(contexts[3]).filter((one) =>
      one.startsWith("toolResult")
    );
    assert.match(results[0] ?? "", /The kernel ended while this call ran/);
    assert.match(results[1] ?? "", /again/);
    const { kernels } = await conversation.run({ text: "c" }, NEVER);
    assert.equal(kernels, undefined);
  });
});

Deno.test("Conversation.run() says what was queued while the kernel died", async () => {
  await inTempFolder(async (folder) => {
    const cwd = `${folder}/work`;
    Deno.mkdirSync(cwd);
    const answers = [
      bash("while [ ! -e go ]; do sleep 0.02; done; kill -9 $PPID"),
      text("heard"),
      text("heard that too"),
    ];
    await using opened = await open(answers, { cwd, home: `${folder}/home` });
    const { conversation, contexts, next } = opened;
    const started = next("tool_execution_start");
    const running = conversation.run({ text: "wait" }, NEVER);
    await started;
    await conversation.steer({ text: "sooner" });
    await conversation.followUp({ text: "later" });
    Deno.writeTextFileSync(`${cwd}/go`, "");
    assert.equal((await running).status, "completed");
    assert.deepEqual(said(contexts[1]).at(-1), "user: sooner");
    assert.deepEqual(said(contexts[2]).at(-1), "user: later");
    assert.equal(conversation.hasQueued, false);
  });
});

Deno.test("Conversation.command() is answered while the kernel dies", async () => {
  await inTempFolder(async (folder) => {
    const cwd = `${folder}/work`;
    Deno.mkdirSync(cwd);
    const answers = [bash("sleep 0.1; kill -9 $PPID"), text("back")];
    await using opened = await open(answers, { cwd, home: `${folder}/home` });
    const { conversation, next } = opened;
    const started = next("tool_execution_start");
    let hasEnded = false;
    const running = conversation.run({ text: "a" }, NEVER)
      .finally(() => hasEnded = true);
    await started;
    while (!hasEnded) {
      await conversation.command({ name: "clear_queue" });
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    assert.equal((await running).status, "completed");
  });
});

Deno.test("Conversation.run() waits for a summary that is being made", async () => {
  await inTempFolder(async (cwd) => {
    const long = "word ".repeat(4000);
    const answers = [text("one"), text("two"), text("a summary"), text("yes")];
    await using opened = await open(answers, { cwd });
    const { conversation, contexts } = opened;
    await conversation.run({ text: long }, NEVER);
    await conversation.run({ text: long }, NEVER);
    const [, result] = await Promise.all([
      conversation.command({ name: "compact" }),
      conversation.run({ text: "beside it" }, NEVER),
    ]);
    assert.equal(result.text, "yes");
    assert.match(said(contexts[3])[0] ?? "", /a summary/);
    assert.equal(said(contexts[3]).at(-1), "user: beside it");
  });
});

Deno.test("Conversation.command() compacts what there is, and says why it cannot", async () => {
  await inTempFolder(async (cwd) => {
    const long = "word ".repeat(4000);
    const answers = [text(long), text("## Goal\nsummary"), text("yes")];
    await using opened = await open(answers, { cwd });
    const { conversation, contexts, events } = opened;
    await assert.rejects(
      conversation.command({ name: "compact" }),
      /The conversation stays as it is: there is nothing to shorten in it/,
    );
    await conversation.run({ text: "a" }, NEVER);
    await conversation.run({ text: long }, NEVER).catch(() => {});
    assert.equal(contexts.length, 2);
    await conversation.command({ name: "compact", instructions: "numbers" });
    assert.match(said(contexts[2])[0] ?? "", /Above all: numbers$/);
    await conversation.run({ text: "b" }, NEVER);
    assert.match(said(contexts[3])[0] ?? "", /summary/);
    assert(events.some(({ type }) => type === "compaction_end"));
  });
});

Deno.test("Conversation.useModel() takes no model without a price where a budget is to be kept", async () => {
  await inTempFolder(async (cwd) => {
    await using opened = await open([], { cwd, maxBudgetUsd: 1 });
    const { conversation } = opened;
    await assert.rejects(
      conversation.useModel("test/unknown"),
      /The price of test\/unknown is not known/,
    );
    assert.equal(conversation.state.model, "test/scripted");
    await conversation.useModel("test/scripted:off");
  });
});
