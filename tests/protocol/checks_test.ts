import assert from "node:assert/strict";
import { type TProperties, Type } from "@sinclair/typebox";
import { Ajv2020 } from "ajv/dist/2020.js";
import { makeChecks } from "../../build/checks/checks.ts";
import { isKernelMessage, KERNEL_RULES } from "../../src/protocol/checks.ts";
import { KERNEL_MESSAGES as ROWS } from "../../src/protocol/kernel_protocol.ts";
import { schemaDocument } from "../../src/protocol/schema_document.ts";
import { KERNEL_MESSAGES } from "../support/kernel_messages.ts";

Deno.test("src/protocol/checks.ts is what `deno task checks` writes", async () => {
  const file = new URL("../../src/protocol/checks.ts", import.meta.url);
  assert.equal(await Deno.readTextFile(file), await makeChecks());
});

/** Values that fit some place and no other. */
const REPLACEMENTS = [undefined, null, true, -1, 1.5, 3, "", "x", [], [0], {}];

/** The value with each of its parts, one at a time, replaced, and with one more part. */
function* changes(value: unknown): Iterable<unknown> {
  yield* REPLACEMENTS;
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield { ...value, more: 1 };
  for (const [name, part] of Object.entries(value)) {
    for (const change of changes(part)) {
      yield Array.isArray(value)
        ? value.with(Number(name), change)
        : { ...value, [name]: change };
    }
  }
}

Deno.test("isKernelMessage() agrees with a validator of JSON Schema, each part of each message replaced", () => {
  const schemas = Object.entries(ROWS).flatMap(([type, { fields }]) =>
    [fields as TProperties | TProperties[]].flat().map((fields) =>
      Type.Object(
        { type: Type.Literal(type), ...fields },
        { additionalProperties: false },
      )
    )
  );
  const validate = new Ajv2020({ strict: false })
    .compile(schemaDocument(Type.Union(schemas)));
  let refused = 0;
  let taken = 0;
  for (const message of KERNEL_MESSAGES) {
    assert(isKernelMessage(message), JSON.stringify(message));
    for (const change of changes(message)) {
      const text = JSON.stringify(change);
      if (text === undefined) continue;
      const crossed = JSON.parse(text);
      assert.equal(isKernelMessage(crossed), validate(crossed), text);
      if (validate(crossed)) taken++;
      else refused++;
    }
  }
  assert(refused > 2000 && taken > 200, `${refused} refused, ${taken} taken`);
});

Deno.test("KERNEL_MESSAGES holds a message of each kind", () => {
  const types = (KERNEL_MESSAGES as { type: string }[]).map(({ type }) => type);
  assert.deepEqual(
    [...new Set(types)].sort(),
    Object.keys(KERNEL_RULES).sort(),
  );
});

Deno.test("isKernelMessage() refuses what is beyond a bound of the host, and what only a host says", () => {
  const title = "x".repeat(65_537);
  const options = Array(1001).fill("");
  const asked = { type: "request", requestId: 1 };
  const notice = { type: "tell", kind: "notice", plugin: "p", level: "info" };
  for (
    const message of [
      { ...asked, kind: "dialog", dialog: { kind: "input", title } },
      {
        ...asked,
        kind: "dialog",
        dialog: { kind: "select", title: "x", options },
      },
      { ...asked, kind: "read_key" },
      { type: "tell", kind: "activate", names: Array(257).fill("x") },
      { ...notice, message: title },
      { type: "tell", kind: "use_model", model: {} },
      { type: "pong", n: 2 ** 60 },
      { type: "refused", access: "read", count: 100_001 },
      { type: "refused", access: "__proto__", count: 1 },
      { type: "__proto__" },
      { type: ["pong"], n: 1 },
      { type: "start", setup: {} },
      { type: "event", event: { type: "agent_end" } },
      { type: "hello", version: 2 },
    ]
  ) assert(!isKernelMessage(message), JSON.stringify(message).slice(0, 80));
});
