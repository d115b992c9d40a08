import assert from "node:assert/strict";
import { equalButSecrets } from "../../src/host/equal_but_secrets.ts";
import { SECRET_MARK } from "../../src/host/recording/neutral_text.ts";

function request(...texts: string[]) {
  const messages = texts.map((text) => JSON.stringify({ role: "user", text }));
  return { settings: "{}", messages };
}

const TABLE: [recorded: string, received: string, equal: boolean][] = [
  ["a", "a", true],
  ["a", "b", false],
  [`a ${SECRET_MARK} b`, "a xyz b", true],
  [`a ${SECRET_MARK} b`, "a  b", false],
  [`a ${SECRET_MARK} b`, "a xyz c", false],
  [`a ${SECRET_MARK} b ${SECRET_MARK}`, "a x b y", true],
  [`a ${SECRET_MARK} b ${SECRET_MARK}`, "a x c y", false],
  [SECRET_MARK, "x", true],
  [`x${SECRET_MARK}x`, "x", false],
  [`a "${SECRET_MARK}"`, 'a "x "y\\\nz""', true],
];

Deno.test("equalButSecrets() takes a mark for whatever stands there", () => {
  for (const [recorded, received, equal] of TABLE) {
    assert.equal(
      equalButSecrets(request("s", recorded), request("s", received)),
      equal,
      `${recorded} and ${received}`,
    );
  }
});

Deno.test("equalButSecrets() compares all of two requests", () => {
  const marked = request("s", SECRET_MARK);
  assert.equal(equalButSecrets(marked, request("s", "x", "y")), false);
  assert.equal(equalButSecrets(marked, request("t", "x")), false);
  assert.equal(
    equalButSecrets(marked, { ...request("s", "x"), settings: '{"a":1}' }),
    false,
  );
  const twoTexts = '{"role":"user","text":"x","y":"z"}';
  assert.equal(
    equalButSecrets(marked, { ...marked, messages: ['"s"', twoTexts] }),
    false,
  );
});
