import assert from "node:assert/strict";
import { atOnce } from "../support/at_once.ts";
import { attackTest } from "../support/escape_machine.ts";
import { runAttacks } from "../support/escape_run.ts";
import {
  type Act,
  bash,
  child,
  code,
  type Goal,
  RINGS,
  type Row,
} from "./attack.ts";

/** What would end the run as another one than it was. */
const END = JSON.stringify({
  type: "end",
  outcome: { kind: "usage_error", message: "FORGED" },
});

/** Takes the run's token from what the kernel writes next. */
const STEAL = `const write = Deno.stdout.write;
  const token = await new Promise((done) => {
    Deno.stdout.write = function (bytes) {
      Deno.stdout.write = write;
      done(new TextDecoder().decode(bytes).split(" ")[0]);
      return write.call(this, bytes);
    };
    tau.appendEntry("x", 1);
  });
  const say = (message) =>
    Deno.stdout.writeSync(new TextEncoder().encode(token + " " + message + "\\n"));`;

/** A line on the kernel's stdout that a message would begin with. */
const FORGERIES: [name: string, act: Act][] = [
  ["code that prints", code(`console.log('${END}')`)],
  [
    "code that prints a token of its own",
    code(`console.log(crypto.randomUUID() + ' ${END}')`),
  ],
  [
    "code that writes",
    code(`Deno.stdout.writeSync(new TextEncoder().encode('\\n${END}\\n'))`),
  ],
  [
    "a command that writes to the kernel's pipe",
    bash(`echo '${END}' >/proc/$PPID/fd/1`),
  ],
  ["a command of a plugin that does", child(`echo '${END}' >/proc/$PPID/fd/1`)],
];

function rowOf(act: Act, wants: Goal): Row {
  const attempt = { act, by: {} };
  return {
    name: "a forged line",
    door: "code",
    attack: { name: "", wants },
    attempt,
  };
}

attackTest(
  "a line without the run's token is what somebody printed, and changes nothing",
  async () => {
    await atOnce(FORGERIES, async ([name, act]) => {
      const { record, stderr } = await runAttacks([
        rowOf(act, { does: "ends the run" }),
      ]);
      assert.equal(record.status, "completed", name);
      assert.equal(record.text, "done", name);
      assert.match(stderr, /FORGED/, name);
    });
  },
);

attackTest(
  "a line with the token that code has stolen cannot say how the run ended",
  async () => {
    const act = code(`${STEAL} say('${END}'); await new Promise(() => {})`);
    const { record } = await runAttacks([rowOf(act, { does: "ends the run" })]);
    assert.equal(record.status, "completed");
    assert.equal(record.text, "done");
    assert.match(record.kernels?.[0]?.reason ?? "", /broke the protocol/);
  },
);

attackTest(
  "the token opens no service that the run does not grant",
  async () => {
    const asks = [
      {
        kind: "fetch",
        request: { url: "{origin}/", method: "GET", headers: {} },
      },
      { kind: "kill", marker: "{tag}" },
    ].map((ask, n) =>
      JSON.stringify({ type: "request", requestId: 9000 + n, ...ask })
    );
    const act = code(
      `${STEAL} ${asks.map((ask) => `say('${ask}');`).join(" ")}
      await new Promise((done) => setTimeout(done, 200))`,
    );
    const row = rowOf(act, { reaches: "tcp" });
    const setting = { rings: RINGS.filter((ring) => ring !== "host") };
    const [held, open] = await Promise.all([
      runAttacks([row]),
      runAttacks([row], { setting }),
    ]);
    assert.deepEqual(held.verdicts.map(({ escaped }) => escaped), [false]);
    assert.deepEqual(open.verdicts.map(({ escaped }) => escaped), [true]);
  },
);

attackTest("a message that no kernel sends ends the kernel", async () => {
  const act = code(
    `${STEAL} say('{"type":"read_file","path":"/etc/passwd"}'); await new Promise(() => {})`,
  );
  const { record, left } = await runAttacks([
    rowOf(act, { does: "reads a file" }),
  ]);
  assert.equal(record.status, "completed");
  assert.equal(record.kernels?.length, 1);
  assert.deepEqual(left, []);
});
