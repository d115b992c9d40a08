import assert from "node:assert/strict";
import { OutputWriter } from "../../src/cli/output_writer.ts";
import { FakeSink } from "./fake_streams.ts";

Deno.test("OutputWriter writes whole texts in order, however little one write takes", async () => {
  const sink = new FakeSink();
  sink.maxBytes = 3;
  const writer = new OutputWriter(sink);
  writer.write("first line\n");
  writer.write("zweite ü\n");
  assert.equal(await writer.flush(), true);
  assert.equal(sink.text, "first line\nzweite ü\n");
});

Deno.test("OutputWriter tells of a closed reader once and drops the rest", async () => {
  const sink = new FakeSink();
  const writer = new OutputWriter(sink);
  writer.write("a");
  await writer.flush();
  sink.error = new Deno.errors.BrokenPipe("Broken pipe (os error 32)");
  writer.write("b");
  assert.deepEqual(await writer.failed, { kind: "closed" });
  sink.error = undefined;
  writer.write("c");
  assert.equal(await writer.flush(), false);
  assert.equal(sink.text, "a");
});

Deno.test("OutputWriter keeps the message of another failure", async () => {
  const sink = new FakeSink();
  sink.error = new Error("No space left on device (os error 28)");
  const writer = new OutputWriter(sink);
  writer.write("a");
  assert.equal(await writer.flush(), false);
  assert.deepEqual(writer.failure, {
    kind: "failed",
    message: "No space left on device (os error 28)",
  });
});

Deno.test("OutputWriter tries again when a shared pipe is busy", async () => {
  const sink = new FakeSink();
  let busy = 2;
  const writer = new OutputWriter({
    write: (bytes) =>
      busy-- > 0
        ? Promise.reject(new Deno.errors.WouldBlock("busy"))
        : sink.write(bytes),
  });
  writer.write("text");
  assert.equal(await writer.flush(), true);
  assert.equal(sink.text, "text");
});

Deno.test("OutputWriter says that a slow reader is behind, and when it has caught up", async () => {
  const sink = new FakeSink();
  const gate = Promise.withResolvers<void>();
  sink.gate = gate.promise;
  const writer = new OutputWriter(sink);
  writer.write("x".repeat(1000));
  assert.equal(writer.backlog(), undefined);
  writer.write("x".repeat(100_000));
  const backlog = writer.backlog();
  assert.ok(backlog);
  gate.resolve();
  await backlog;
  assert.equal(sink.text.length, 101_000);
  assert.equal(writer.backlog(), undefined);
});

Deno.test("OutputWriter with a limit drops what would wait past it and says so", async () => {
  const sink = new FakeSink();
  const gate = Promise.withResolvers<void>();
  sink.gate = gate.promise;
  const writer = new OutputWriter(sink, { maxWaitingBytes: 10 });
  writer.write("12345678\n");
  writer.write("dropped\n");
  writer.write("dropped too\n");
  gate.resolve();
  await writer.flush();
  assert.equal(
    sink.text,
    "12345678\ntau: 2 messages were dropped: this stream was not read\n",
  );
});

Deno.test("OutputWriter.flush() gives a stuck reader up once, after the hurry began", async () => {
  const sink = new FakeSink();
  const gate = Promise.withResolvers<void>();
  sink.gate = gate.promise;
  const writer = new OutputWriter(sink, { graceMs: 1 });
  writer.write("never read");
  const hurry = new AbortController();
  const flushed = writer.flush(hurry.signal);
  hurry.abort();
  assert.equal(await flushed, false);
  assert.equal(await writer.flush(), false, "a second wait does not end");
  gate.resolve();
});
