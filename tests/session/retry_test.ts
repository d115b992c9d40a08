import assert from "node:assert/strict";
import type { AssistantMessage } from "../../src/model/message.ts";
import type { ModelErrorKind } from "../../src/model/model_error.ts";
import { type RetryEvent, retrying } from "../../src/session/retry.ts";
import { UnshownAnswer } from "../../src/session/unshown_answer.ts";
import {
  call,
  failing,
  failModel,
  say,
  type ScriptedModel,
  scriptedModel,
  testModel,
} from "../support/scripted_model.ts";

interface Asked {
  message: AssistantMessage;
  requests: number;
  /** Milliseconds of each wait, by a clock that does not run. */
  waits: number[];
  events: RetryEvent[];
  /** Types of the events that were passed on. */
  shown: string[];
}

async function ask(
  model: ScriptedModel,
  { maxRetries, chance = 0, stop, onWait }: {
    maxRetries?: number;
    chance?: number;
    stop?: AbortController;
    onWait?: () => void;
  } = {},
): Promise<Asked> {
  const waits: number[] = [];
  const events: RetryEvent[] = [];
  const shown: string[] = [];
  const answer = await retrying(
    async ({ model: asked, context, options }) =>
      UnshownAnswer.of(await model(asked, context, options)),
    {
      maxRetries,
      emit: (event) => void events.push(event),
      wait: (ms) => {
        waits.push(ms);
        onWait?.();
        return Promise.resolve();
      },
      random: () => chance,
    },
  )({
    model: testModel,
    context: { messages: [{ role: "user", content: "hi", timestamp: 1 }] },
    options: stop ? { signal: stop.signal } : {},
  });
  const message = await answer.passOn(({ type }) => void shown.push(type));
  return { message, requests: model.contexts.length, waits, events, shown };
}

const RETRIED: Record<ModelErrorKind, boolean> = {
  auth: false,
  rate_limit: true,
  overloaded: true,
  unreachable: true,
  timeout: true,
  stream_cut: true,
  refused: false,
  context_overflow: false,
  quota: false,
  content_filter: false,
  replay_miss: false,
};

for (const [kind, isRetried] of Object.entries(RETRIED)) {
  Deno.test(`retrying() asks ${isRetried ? "again" : "once"} on ${kind}`, async () => {
    const errorKind = kind as ModelErrorKind;
    const { message, requests, waits } = await ask(
      failModel("it failed", { errorKind }),
    );
    assert.equal(message.errorMessage, "it failed");
    assert.equal(requests, isRetried ? 4 : 1);
    assert.deepEqual(waits, isRetried ? [2000, 4000, 8000] : []);
  });
}

Deno.test("retrying() asks once on an error of no known kind", async () => {
  assert.equal((await ask(failModel("odd"))).requests, 1);
});

const DELAYS: [string, {
  askedMs?: number;
  maxRetries: number;
  chance?: number;
  waits: number[];
}][] = [
  ["nothing asked for", {
    maxRetries: 7,
    waits: [2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000],
  }],
  ["chance", { maxRetries: 2, chance: 1, waits: [2500, 5000] }],
  ["3 s asked for", { askedMs: 3000, maxRetries: 2, waits: [3000, 3000] }],
  ["3 s and chance", {
    askedMs: 3000,
    maxRetries: 1,
    chance: 0.5,
    waits: [3375],
  }],
  ["a minute asked for", {
    askedMs: 60_000,
    maxRetries: 1,
    chance: 1,
    waits: [60_000],
  }],
  ["no wait asked for", { askedMs: 0, maxRetries: 2, waits: [2000, 4000] }],
  ["no retries", { maxRetries: 0, waits: [] }],
];

for (const [what, { askedMs, waits, ...options }] of DELAYS) {
  Deno.test(`retrying() waits for so long: ${what}`, async () => {
    const model = failModel("busy", {
      errorKind: "overloaded",
      ...(askedMs === undefined ? {} : { retryAfterMs: askedMs }),
    });
    assert.deepEqual((await ask(model, options)).waits, waits);
  });
}

Deno.test("retrying() gives up at once when it should wait for a day", async () => {
  const { message, requests, waits } = await ask(
    failModel("slow down", {
      errorKind: "rate_limit",
      retryAfterMs: 86_400_000,
    }),
  );
  assert.equal(requests, 1);
  assert.deepEqual(waits, []);
  assert.equal(
    message.errorMessage,
    "slow down; it asks to wait 86400 s, and no more than 60 s are waited",
  );
  assert.equal(message.errorKind, "rate_limit");
});

function busyThen(...rest: Parameters<typeof scriptedModel>): ScriptedModel {
  const busy = failing("busy");
  const end = { ...busy.end, errorKind: "overloaded" } as typeof busy.end;
  return scriptedModel({ blocks: [], end }, ...rest);
}

Deno.test("retrying() shows the answer of the second request alone and tells of the first", async () => {
  const model = busyThen(say("Hello."));
  const { message, events, shown } = await ask(model);
  model.assertPlayed();
  assert.deepEqual(message.content, [{ type: "text", text: "Hello." }]);
  assert.deepEqual(events, [
    {
      type: "auto_retry_start",
      attempt: 1,
      maxAttempts: 3,
      delayMs: 2000,
      errorMessage: "busy",
    },
    { type: "auto_retry_end", success: true, attempt: 1 },
  ]);
  assert.deepEqual(shown.filter((type) => type === "start"), ["start"]);
  assert.equal(shown.at(-1), "done");
});

Deno.test("retrying() tells why it gave up", async () => {
  const { events } = await ask(failModel("busy", { errorKind: "overloaded" }), {
    maxRetries: 1,
  });
  assert.deepEqual(events.at(-1), {
    type: "auto_retry_end",
    success: false,
    attempt: 1,
    finalError: "busy",
  });
});

for (
  const [what, begun] of [
    ["text", say("Half an ans")],
    ["a call", say("", call("look"))],
  ] as const
) {
  Deno.test(`retrying() asks once when ${what} was shown before the failure`, async () => {
    const answer = failing("cut", begun);
    const end = { ...answer.end, errorKind: "stream_cut" } as typeof answer.end;
    const model = scriptedModel({ ...answer, end });
    const { message, events } = await ask(model);
    model.assertPlayed();
    assert.equal(message.errorMessage, "cut");
    assert.deepEqual(events, []);
  });
}

Deno.test("retrying() ends as aborted when the wait is aborted, and asks no more", async () => {
  const stop = new AbortController();
  const model = failModel("busy", { errorKind: "overloaded", retryAfterMs: 9 });
  const { message, requests, events } = await ask(model, {
    stop,
    onWait: () => stop.abort(),
  });
  assert.equal(requests, 1);
  assert.equal(message.stopReason, "aborted");
  assert.equal(message.errorKind, undefined);
  assert.deepEqual(events.at(-1), {
    type: "auto_retry_end",
    success: false,
    attempt: 1,
    finalError: "Retry cancelled",
  });
});

Deno.test("retrying() ends its own wait at once on an abort", async () => {
  const stop = new AbortController();
  const model = failModel("busy", {
    errorKind: "overloaded",
    retryAfterMs: 50_000,
  });
  const answer = await retrying(
    async (request) =>
      UnshownAnswer.of(
        await model(request.model, request.context, request.options),
      ),
    {
      emit({ type }) {
        if (type === "auto_retry_start") queueMicrotask(() => stop.abort());
      },
    },
  )({
    model: testModel,
    context: { messages: [{ role: "user", content: "hi", timestamp: 1 }] },
    options: { signal: stop.signal },
  });
  assert.equal(answer.failure?.stopReason, "aborted");
});
