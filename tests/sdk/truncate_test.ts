import assert from "node:assert/strict";
import fc from "fast-check";
import {
  formatSize,
  truncateHead,
  truncateLine,
  truncateTail,
  type TruncationResult,
} from "../../src/sdk/truncate.ts";

const limits = { maxLines: 3, maxBytes: 10 };

Deno.test("truncateHead() gives back all of a text that fits, its final newline uncounted", () => {
  for (
    const text of [
      "",
      "a",
      "a\nb\nc",
      "a\nb\nc\n",
      "123456789\n",
      "1234567890\n",
    ]
  ) {
    const result = truncateHead(text, limits);
    assert.equal(result.content, text);
    assert.equal(result.truncated, false);
  }
  assert.equal(truncateHead("").totalLines, 0);
  assert.equal(truncateHead("\n").totalLines, 1);
  assert.equal(truncateHead("a\n".repeat(2000)).truncated, false);
});

Deno.test("truncateHead() keeps whole lines up to the limit that is hit first", () => {
  assert.deepEqual(truncateHead("a\nb\nc\nd\n", limits), {
    content: "a\nb\nc",
    truncated: true,
    truncatedBy: "lines",
    totalLines: 4,
    totalBytes: 8,
    outputLines: 3,
    outputBytes: 5,
    lastLinePartial: false,
    firstLineExceedsLimit: false,
    ...limits,
  });
  assert.deepEqual(kept(truncateHead("äöü\näöü\n", limits)), ["äöü", "bytes"]);
  assert.deepEqual(kept(truncateHead("\n\n\n\n\n", limits)), ["\n\n", "lines"]);
});

Deno.test("truncateHead() keeps nothing of a first line that is too big", () => {
  const result = truncateHead("12345678901\na", limits);
  assert.deepEqual([
    result.content,
    result.firstLineExceedsLimit,
    result.outputLines,
  ], ["", true, 0]);
});

Deno.test("truncateTail() keeps whole lines from the end", () => {
  assert.deepEqual(kept(truncateTail("a\nb\nc\nd\n", limits)), [
    "b\nc\nd",
    "lines",
  ]);
  assert.deepEqual(kept(truncateTail("1234567\n123\n12345", limits)), [
    "123\n12345",
    "bytes",
  ]);
  assert.deepEqual(kept(truncateTail("\n\n\n\n\n", limits)), ["\n\n", "lines"]);
  assert.deepEqual(kept(truncateTail("\nabcdefghij", limits)), [
    "abcdefghij",
    "bytes",
  ]);
});

Deno.test("truncateTail() keeps the end of a last line that is too big, between two characters", () => {
  const result = truncateTail("x".repeat(20) + "😀😀", {
    maxLines: 3,
    maxBytes: 7,
  });
  assert.deepEqual(
    [
      result.content,
      result.lastLinePartial,
      result.outputLines,
      result.outputBytes,
    ],
    ["😀", true, 1, 4],
  );
  assert.equal(truncateTail("x😀😀", { maxBytes: 9 }).truncated, false);
});

Deno.test("truncateLine() cuts at a length and never inside a surrogate pair", () => {
  assert.deepEqual(truncateLine("abc", 3), {
    text: "abc",
    wasTruncated: false,
  });
  assert.deepEqual(truncateLine("abcd", 3), {
    text: "abc... [truncated]",
    wasTruncated: true,
  });
  assert.deepEqual(truncateLine("ab😀d", 3), {
    text: "ab... [truncated]",
    wasTruncated: true,
  });
});

Deno.test("formatSize() names bytes, kilobytes and megabytes", () => {
  assert.deepEqual(
    [0, 1023, 1024, 51200, 1024 * 1024 - 1, 1024 * 1024 * 1.5].map(formatSize),
    ["0B", "1023B", "1.0KB", "50.0KB", "1024.0KB", "1.5MB"],
  );
});

Deno.test("truncateHead() and truncateTail() keep limits, counts and whole characters, on any text", () => {
  const text = fc.array(fc.constantFrom("a", "ä", "😀", "\n", "bcd"), {
    maxLength: 30,
  })
    .map((parts) => parts.join(""));
  const size = fc.integer({ min: 1, max: 12 });
  fc.assert(fc.property(text, size, size, (text, maxLines, maxBytes) => {
    const body = text.replace(/\n$/, "");
    for (const truncate of [truncateHead, truncateTail]) {
      const result = truncate(text, { maxLines, maxBytes });
      const content = result.truncated
        ? result.content
        : result.content.replace(/\n$/, "");
      assert.ok(
        truncate === truncateHead
          ? body.startsWith(content)
          : body.endsWith(content),
      );
      assert.ok(new TextEncoder().encode(content).byteLength <= maxBytes);
      assert.ok(content.split("\n").length <= maxLines);
      assert.ok(content.isWellFormed());
      assert.equal(result.truncated, content !== body);
      if (result.truncated) {
        assert.equal(
          result.outputBytes,
          new TextEncoder().encode(content).byteLength,
        );
        // One more line would not have fitted.
        if (!result.lastLinePartial && result.truncatedBy === "bytes") {
          assert.ok(
            biggerBy(result, body, truncate === truncateHead) > maxBytes,
          );
        }
      }
    }
  }));
});

Deno.test("truncateLine() keeps a start of whole characters within the length, on any line", () => {
  const line = fc.array(fc.constantFrom("a", "ä", "😀"), { maxLength: 30 })
    .map((parts) => parts.join(""));
  fc.assert(fc.property(line, fc.integer({ min: 1, max: 40 }), (line, max) => {
    const { text, wasTruncated } = truncateLine(line, max);
    const kept = wasTruncated
      ? text.replace(/\.\.\. \[truncated\]$/, "")
      : text;
    assert.ok(line.startsWith(kept) && kept.isWellFormed());
    assert.equal(wasTruncated, line.length > max);
    // At most half a character of room is left.
    if (wasTruncated) assert.ok(kept.length === max || kept.length === max - 1);
  }));
});

function biggerBy(
  result: TruncationResult,
  body: string,
  head: boolean,
): number {
  const lines = body.split("\n");
  const count = result.outputLines + 1;
  const more = head ? lines.slice(0, count) : lines.slice(-count);
  return new TextEncoder().encode(more.join("\n")).byteLength;
}

function kept(result: TruncationResult): [string, string | null] {
  return [result.content, result.truncatedBy];
}
