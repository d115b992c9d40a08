import assert from "node:assert/strict";
import { ModelService } from "../../src/host/model_service.ts";
import { emptyUsage } from "../../src/model/message.ts";
import type {
  AssistantDelta,
  DeltaSource,
  StreamOptions,
} from "../../src/model/stream.ts";
import type { ModelRequest } from "../../src/protocol/kernel_schemas.ts";
import { testModel } from "../support/scripted_model.ts";

/** What was sent to the kernel: `number type message`. */
type Sent = string[];

interface Served {
  service: ModelService;
  sent: Sent;
  /** Options of each request that reached the provider. */
  asked: StreamOptions[];
}

function serve(source: DeltaSource): Served {
  const sent: Sent = [];
  const asked: StreamOptions[] = [];
  const service = new ModelService({
    source: Promise.resolve((model, context, options) => {
      asked.push(options);
      return source(model, context, options);
    }),
    model: testModel,
    apiKey: "the-key",
    send(requestId, deltas) {
      for (const delta of deltas) {
        const text = "errorMessage" in delta ? ` ${delta.errorMessage}` : "";
        sent.push(`${requestId} ${delta.type}${text}`);
      }
      return Promise.resolve();
    },
  });
  return { service, sent, asked };
}

function request(
  requestId: number,
  more: Partial<ModelRequest> = {},
): ModelRequest {
  const user = { role: "user", content: "hi", timestamp: 1 } as const;
  return { requestId, messages: [user], options: {}, ...more };
}

const DONE: AssistantDelta = {
  type: "done",
  reason: "stop",
  usage: { ...emptyUsage(), input: 3, output: 2, reasoning: 1, totalTokens: 5 },
};

/** A provider that says nothing until it is aborted, and then takes its time. */
const silent: DeltaSource = async function* (_model, _context, { signal }) {
  await new Promise<void>((resolve) => {
    if (signal?.aborted) resolve();
    signal?.addEventListener("abort", () => resolve(), { once: true });
  });
  await new Promise((resolve) => setTimeout(resolve, 10));
  yield [{ type: "error", reason: "aborted", errorMessage: "stopped" }];
};

/** Resolves when all that was started has been answered. */
async function settled({ sent }: Served, count: number): Promise<void> {
  const endMs = performance.now() + 5000;
  while (sent.length < count) {
    assert(performance.now() < endMs, `only ${sent} was sent`);
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

Deno.test("ModelService.answer() uses the host's key and adds up what answers cost", async () => {
  const served = serve(async function* () {
    yield [{ type: "start" }, DONE];
  });
  const forged = { apiKey: "another" } as ModelRequest["options"];
  served.service.answer(request(0, { options: forged }));
  served.service.answer(request(1));
  await settled(served, 4);
  await served.service.close();
  assert.deepEqual(served.asked.map(({ apiKey }) => apiKey), [
    "the-key",
    "the-key",
  ]);
  const { input, output, reasoning, totalTokens } = served.service.usage;
  assert.deepEqual([input, output, reasoning, totalTokens], [6, 4, 2, 10]);
});

Deno.test("ModelService.answer() tells of a source that throws or ends too early", async () => {
  const throwing = serve(() => {
    throw new Error("the source broke");
  });
  throwing.service.answer(request(4));
  await settled(throwing, 1);
  assert.deepEqual(throwing.sent, ["4 error the source broke"]);
  const short = serve(async function* () {
    yield [{ type: "start" }];
  });
  short.service.answer(request(5));
  await settled(short, 2);
  assert.deepEqual(short.sent, [
    "5 start",
    "5 error the provider's answer has no end",
  ]);
});

Deno.test("ModelService.cancel() ends one answer and no other", async () => {
  const served = serve(silent);
  served.service.answer(request(0));
  served.service.answer(request(1));
  served.service.cancel(0);
  served.service.cancel(7);
  await settled(served, 1);
  assert.deepEqual(served.sent, ["0 error stopped"]);
  await served.service.close();
  assert.deepEqual(served.sent, ["0 error stopped", "1 error stopped"]);
});

Deno.test("ModelService.close() waits for what is under way and lets nothing start", async () => {
  const served = serve(silent);
  served.service.answer(request(0));
  await served.service.close();
  assert.deepEqual(served.sent, ["0 error stopped"]);
  served.service.answer(request(1));
  await served.service.close();
  assert.equal(served.asked.length, 1);
  assert.equal(served.sent.length, 1);
});

Deno.test("ModelService.store() takes messages in their order only", () => {
  const { service } = serve(silent);
  const message = { role: "user", content: "hi", timestamp: 1 } as const;
  const numbers = [1, 0, 0, 2 ** 40, -1, 1];
  assert.deepEqual(numbers.map((n) => service.store(n, message)), [
    false,
    true,
    false,
    false,
    false,
    true,
  ]);
});

Deno.test("ModelService.answer() keeps prompt and tools until a request brings others", async () => {
  const contexts: unknown[] = [];
  const served = serve(async function* (_model, { systemPrompt, tools }) {
    contexts.push([systemPrompt, tools?.length]);
    yield [DONE];
  });
  const tool = { name: "ls", description: "", parameters: { type: "object" } };
  const declarations = { systemPrompt: "rules", tools: [tool] };
  served.service.answer(request(0, { declarations }));
  served.service.answer(request(1));
  served.service.answer(request(2, { declarations: {} }));
  await settled(served, 3);
  assert.deepEqual(contexts, [
    ["rules", 1],
    ["rules", 1],
    [undefined, undefined],
  ]);
});
