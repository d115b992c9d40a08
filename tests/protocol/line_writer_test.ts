import assert from "node:assert/strict";
import { LineWriter } from "../../src/protocol/line_writer.ts";

/** A sink whose writes end when the test says so. */
function slowSink(): {
  write(bytes: Uint8Array): Promise<void>;
  writes: string[];
  next(): Promise<void>;
} {
  const writes: string[] = [];
  const open: (() => void)[] = [];
  return {
    writes,
    write(bytes) {
      writes.push(new TextDecoder().decode(bytes));
      return new Promise((resolve) => open.push(resolve));
    },
    async next() {
      while (open.length === 0) await Promise.resolve();
      open.shift()?.();
    },
  };
}

Deno.test("LineWriter.send() writes what is sent together in one piece, in order", async () => {
  const sink = slowSink();
  const writer = new LineWriter("T", sink.write);
  const first = [writer.send(1), writer.send(2)];
  await sink.next();
  await Promise.all(first);
  assert.deepEqual(sink.writes, ["T 1\nT 2\n"]);
});

Deno.test("LineWriter.send() collects what is sent during a write", async () => {
  const sink = slowSink();
  const writer = new LineWriter("T", sink.write);
  writer.send(1);
  while (sink.writes.length === 0) await Promise.resolve();
  const last = [writer.send(2), writer.send(3)];
  assert.deepEqual(sink.writes, ["T 1\n"]);
  await sink.next();
  await sink.next();
  await Promise.all(last);
  assert.deepEqual(sink.writes, ["T 1\n", "T 2\nT 3\n"]);
});

Deno.test("LineWriter.send() forgets no message, however many tasks after the write it is sent", async () => {
  for (let delay = 0; delay < 10; delay++) {
    const writes: string[] = [];
    let later: Promise<void> | undefined;
    const writer = new LineWriter("T", (bytes) => {
      writes.push(new TextDecoder().decode(bytes));
      if (later) return Promise.resolve();
      const written = Promise.resolve();
      later = written.then(async () => {
        for (let i = 0; i < delay; i++) await undefined;
        await writer.send("later");
      });
      return written;
    });
    await writer.send("first");
    await later;
    assert.deepEqual(writes, ['T "first"\n', 'T "later"\n'], `${delay} tasks`);
  }
});

Deno.test("LineWriter.send() rejects when the pipe is closed, then and later", async () => {
  let writes = 0;
  const writer = new LineWriter("T", () => {
    writes++;
    return Promise.reject(new Deno.errors.BrokenPipe("closed"));
  });
  await assert.rejects(writer.send(1), Deno.errors.BrokenPipe);
  await assert.rejects(writer.send(2), Deno.errors.BrokenPipe);
  assert.equal(writes, 2);
});

Deno.test("LineWriter.waiting counts what is not written yet", async () => {
  const sink = slowSink();
  const writer = new LineWriter("T", sink.write);
  const sent = [writer.send("abc")];
  assert.equal(writer.waiting, 'T "abc"\n'.length);
  await sink.next();
  await Promise.all(sent);
  assert.equal(writer.waiting, 0);
});
