import assert from "node:assert/strict";
import { readStructuredAnswer } from "../../src/model/structured_answer.ts";

const SCHEMA = { type: "object", properties: { n: { type: "number" } } };

Deno.test("readStructuredAnswer() takes JSON alone or in the only fenced block", () => {
  for (
    const text of [
      '{"n":1}',
      '\n\t{"n":1}\r\n',
      '```json\n{"n":1}\n```',
      'Here:\r\n\r\n```\r\n{\r\n"n":1}\r\n```\r\nThat is all.',
      '  ```json5 title="x"\n{"n":1}\n  ```',
    ]
  ) {
    assert.deepEqual(readStructuredAnswer(text, SCHEMA), { value: { n: 1 } });
  }
});

Deno.test("readStructuredAnswer() says what else an answer is", () => {
  const noJson = ["Expected JSON, alone or in one fenced block"];
  for (
    const [text, faults] of [
      ["", noJson],
      ["It is 1.", noJson],
      ['The answer is {"n":1}', noJson],
      ['```\n{"n":1}\n```\n```\n{"n":2}\n```', noJson],
      ['```\n{"n":1}', noJson],
      ['{"n":1}{"n":2}', noJson],
      ["[]", ["root: Expected object, got array"]],
      ['```\n{"n":"1"}\n```', ["n: Expected number, got string"]],
      // It would be null in the record.
      ['{"n":1e999}', ["n: Expected number, got Infinity"]],
    ] as const
  ) {
    assert.deepEqual(readStructuredAnswer(text, SCHEMA), { faults }, text);
  }
});

Deno.test("readStructuredAnswer() survives hostile answers", () => {
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  assert.match(
    String(readStructuredAnswer(deep, {}).faults),
    /nested too deeply/,
  );
  const fences = "```\n".repeat(200_000);
  assert.ok(readStructuredAnswer(fences, {}).faults);
  const polluted = readStructuredAnswer('{"__proto__":{"n":1}}', {});
  assert(!polluted.faults);
  assert.equal(JSON.stringify(polluted.value), '{"__proto__":{"n":1}}');
  assert.equal((polluted.value as { n?: number }).n, undefined);
  const long = readStructuredAnswer(`{"${"x".repeat(100_000)}":1}`, {
    additionalProperties: false,
  });
  assert(long.faults);
  assert(String(long.faults).length < 2000);
});
