import assert from "node:assert/strict";
import { RpcDialogs } from "../../../src/cli/rpc/rpc_dialogs.ts";
import type { RpcDialogRequest } from "../../../src/cli/rpc/rpc_line.ts";

const NEVER = new AbortController().signal;

function dialogsOf(): { dialogs: RpcDialogs; sent: RpcDialogRequest[] } {
  const sent: RpcDialogRequest[] = [];
  const dialogs = new RpcDialogs((line) => sent.push(line as RpcDialogRequest));
  return { dialogs, sent };
}

Deno.test("RpcDialogs.answer() takes one answer of the right kind, in any order", async () => {
  const { dialogs, sent } = dialogsOf();
  const confirmed = dialogs.ask(
    { kind: "confirm", title: "Sure?", message: "m" },
    NEVER,
  );
  const selected = dialogs.ask(
    { kind: "select", title: "Which?", options: ["a", "b"] },
    NEVER,
  );
  const [first, second] = sent;
  assert.deepEqual(first, {
    type: "extension_ui_request",
    id: first?.id,
    method: "confirm",
    title: "Sure?",
    message: "m",
  });
  const wrong = [
    [{ id: second?.id, value: "c" }, /one of the options/],
    [{ id: second?.id, confirmed: true }, /value: expected a string/],
    [{ id: second?.id, value: ["a"] }, /value: expected a string/],
    [{ id: first?.id, value: "yes" }, /confirmed: expected a boolean/],
    [{ id: first?.id, confirmed: "true" }, /confirmed: expected a boolean/],
    [{ id: "__proto__", value: "a" }, /No question/],
    [{ id: { toString: 1 }, value: "a" }, /No question/],
    [{}, /No question/],
  ] as const;
  for (const [answer, problem] of wrong) {
    assert.match(dialogs.answer({ ...answer }) ?? "", problem);
  }
  assert.equal(dialogs.answer({ id: second?.id, value: "b" }), undefined);
  assert.equal(dialogs.answer({ id: first?.id, confirmed: false }), undefined);
  assert.deepEqual(await Promise.all([confirmed, selected]), [false, "b"]);
  for (const { id } of sent) {
    assert.match(dialogs.answer({ id, value: "a" }) ?? "", /No question/);
  }
});

Deno.test("RpcDialogs.ask() is over when it is cancelled, dismissed or nobody is there any more", async () => {
  const { dialogs, sent } = dialogsOf();
  const stop = new AbortController();
  const dialog = { kind: "input", title: "Name?" } as const;
  const asked = [
    dialogs.ask(dialog, NEVER),
    dialogs.ask(dialog, stop.signal),
    dialogs.ask(dialog, AbortSignal.abort()),
    dialogs.ask(dialog, NEVER),
  ];
  assert.equal(sent.length, 3);
  dialogs.answer({ id: sent[0]?.id, cancelled: true });
  stop.abort();
  dialogs.close();
  asked.push(dialogs.ask(dialog, NEVER));
  assert.deepEqual(await Promise.all(asked), Array(5).fill(undefined));
  assert.equal(sent.length, 3);
});
