import fc from "fast-check";
import assert from "node:assert/strict";
import { assembleMessage } from "../../src/model/assemble_message.ts";
import { ModelError } from "../../src/model/model_error.ts";
import type { Api } from "../../src/model/model.ts";
import type { AssistantDelta } from "../../src/model/stream.ts";
import { EventDecoder } from "../../src/providers/event_decoder.ts";
import {
  apiOf,
  APIS,
  readPieces,
  recordedStream,
  testModel,
} from "../support/recorded_stream.ts";

type Json = { [key: string]: unknown };

/** The events of all recorded streams of a format. */
function recordedEvents(api: Api): Json[][] {
  return [...Deno.readDirSync(new URL("../fixtures/streams", import.meta.url))]
    .map((file) => file.name.replace(/\.sse$/, ""))
    .filter((name) => apiOf(name) === api)
    .toSorted()
    .map((name) =>
      [
        ...new TextDecoder().decode(recordedStream(name)).matchAll(
          /^data: (\{.*)$/gm,
        ),
      ]
        .map((match) => JSON.parse(match[1] as string))
    );
}

/** What a server may put where something else belongs. */
const values = fc.constantFrom<unknown>(
  undefined,
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  "",
  "x",
  "}{",
  [],
  [null],
  {},
  [[]],
  { type: "tool_use" },
  { __proto__: null, constructor: 1 },
);
const changes = fc.array(
  fc.record({ event: fc.nat(), node: fc.nat(), value: values }),
  { minLength: 1, maxLength: 3 },
);

/** Replaces the n-th node of a tree, counted over and over. */
function change(tree: Json, node: number, value: unknown): void {
  const places: [parent: Json, key: string][] = [];
  const visit = (parent: Json) => {
    for (const [key, child] of Object.entries(parent)) {
      places.push([parent, key]);
      if (typeof child === "object" && child !== null) visit(child as Json);
    }
  };
  visit(tree);
  const [parent, key] = places[node % places.length] ?? [tree, "type"];
  parent[key] = structuredClone(value);
}

for (const api of APIS) {
  const recorded = recordedEvents(api);
  const model = testModel(api);

  Deno.test(`readAnswer() of ${api} survives any value in any place, and any order`, async () => {
    const property = fc.asyncProperty(
      fc.nat(recorded.length - 1),
      changes,
      fc.boolean(),
      async (stream, edits, swap) => {
        const events = structuredClone(recorded[stream] as Json[]);
        for (const { event, node, value } of edits) {
          change(events[event % events.length] as Json, node, value);
        }
        if (swap) events.unshift(events.pop() as Json);
        const body = events.map((event) =>
          `data: ${JSON.stringify(event)}\n\n`
        );
        const pieces = [new TextEncoder().encode(body.join(""))];
        const deltas = (await Array.fromAsync(readPieces(model, { pieces })))
          .flat();
        const last = deltas.at(-1);
        assert(
          last?.type === "done" || last?.type === "error",
          JSON.stringify(deltas),
        );
        // A fault of the reader itself would be an error without a kind.
        assert(
          last.type === "done" || last.errorKind !== undefined,
          JSON.stringify(last),
        );
        const usage = JSON.stringify(last.usage ?? {});
        assert(!/null|-/.test(usage), usage);
        assertBlocksInOrder(deltas);
        const { stopReason, errorKind } = await assembleMessage(
          model,
          readPieces(model, { pieces }),
        ).result();
        assert.equal(stopReason, last.reason);
        assert.equal(
          errorKind,
          last.type === "error" ? last.errorKind : undefined,
        );
      },
    );
    await fc.assert(property, { numRuns: 1500 });
  });
}

/** Blocks start in order of their index, and each delta belongs to a block that is open. */
function assertBlocksInOrder(deltas: AssistantDelta[]): void {
  const open = new Set<number>();
  let next = 0;
  for (const delta of deltas) {
    if (!("contentIndex" in delta)) continue;
    const { contentIndex, type } = delta;
    if (type.endsWith("_start")) {
      assert.equal(contentIndex, next++);
      open.add(contentIndex);
    } else if (type.endsWith("_end")) {
      assert(open.delete(contentIndex), `${type} of a closed block`);
    } else {
      assert(open.has(contentIndex), `${type} of a closed block`);
    }
  }
}

Deno.test("EventDecoder refuses an event without end", () => {
  const decoder = new EventDecoder(() =>
    new ModelError("refused", "too large")
  );
  const megabyte = new Uint8Array(1024 * 1024).fill(120);
  decoder.feed(new TextEncoder().encode("data: "));
  assert.throws(() => {
    for (let i = 0; i < 40; i++) decoder.feed(megabyte);
  }, { name: "ModelError", message: "too large" });
});

Deno.test("readAnswer() stops an answer of endless blocks", async () => {
  const model = testModel("anthropic-messages");
  const start = {
    type: "content_block_start",
    index: 0,
    content_block: { type: "text" },
  };
  const event = new TextEncoder().encode(`data: ${JSON.stringify(start)}\n\n`);
  const pieces = Array<Uint8Array>(5000).fill(event);
  const deltas = (await Array.fromAsync(readPieces(model, { pieces }))).flat();
  const last = deltas.at(-1);
  assert(last?.type === "error" && last.errorKind === "refused");
});

Deno.test("readAnswer() gives one delta for all the tokens of one read", async () => {
  const model = testModel("openai-completions");
  const chunk = (content: string, finish_reason: string | null = null) =>
    `data: ${
      JSON.stringify({ choices: [{ delta: { content }, finish_reason }] })
    }\n\n`;
  const pieces = [
    chunk("a") + chunk("b") + chunk("c"),
    chunk("d") + chunk("e", "stop"),
  ]
    .map((text) => new TextEncoder().encode(text));
  assert.deepEqual(
    (await Array.fromAsync(readPieces(model, { pieces }))).map((batch) =>
      batch.map((delta) => "delta" in delta ? delta.delta : delta.type)
    ),
    [["start", "text_start", "abc"], ["de"], ["text_end", "done"]],
  );
});
