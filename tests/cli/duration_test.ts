import assert from "node:assert/strict";
import { parseDuration } from "../../src/cli/duration.ts";

Deno.test("parseDuration() takes seconds and units", () => {
  const cases: [string, number][] = [
    ["300", 300_000],
    ["90s", 90_000],
    ["1.5m", 90_000],
    ["2h", 7_200_000],
    ["250ms", 250],
    ["0.5", 500],
    ["500h", 1_800_000_000],
  ];
  assert.deepEqual(
    cases.map(([text]) => [text, parseDuration(text)]),
    cases,
  );
});

Deno.test("parseDuration() refuses what is no time, zero, or more than a timer holds", () => {
  const texts = [
    "",
    "0",
    "0.0s",
    "-5",
    "5x",
    "5 m",
    "1e3",
    "Infinity",
    "NaN",
    "501h",
    "9".repeat(400),
    "1m30s",
    "٣",
  ];
  assert.deepEqual(
    texts.filter((text) => parseDuration(text) !== undefined),
    [],
  );
});
