import assert from "node:assert/strict";
import { visibleText } from "../../src/sdk/visible_text.ts";

Deno.test("visibleText() shows what a terminal would act on", () => {
  assert.equal(visibleText("\x1b[31mred\x07\x00"), "␛[31mred␇␀");
  assert.equal(visibleText("\x9b31m\x7f"), "\\x9b31m␡");
  assert.equal(
    visibleText("a\u202eb\u2066c\u200bd\u{e0041}"),
    "a\\u202eb\\u2066c\\u200bd\\u{e0041}",
  );
});

Deno.test("visibleText() keeps text, newlines and emoji", () => {
  const text = "Grüße 你好 👩‍👩‍👧 – “x”\n";
  assert.equal(visibleText(text), text);
});

Deno.test("visibleText() expands tabs to the next stop and drops the CR of a CRLF only", () => {
  assert.equal(visibleText("a\tb\r\n\tc\rd"), "a   b\n    c␍d");
});
