import assert from "node:assert/strict";
import type { RunResult } from "../../src/protocol/result_schema.ts";
import { call, say } from "../support/provider_double.ts";
import { inPlace } from "../support/tau_place.ts";
import { runTau, type TauProcess } from "../support/tau_process.ts";
import { atOnce } from "../support/at_once.ts";

// deno-lint-ignore no-explicit-any -- lines of JSON of many kinds
type Line = any;

function linesOf(stdout: string): Line[] {
  return stdout.split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

function resultsOf(stdout: string): [RunResult["status"], string][] {
  return linesOf(stdout).filter(({ type }) => type === "result")
    .map(({ status, text }) => [status, text]);
}

/** The response to the command with an id. */
async function response(tau: TauProcess, id: string): Promise<Line> {
  await tau.printed(new RegExp(`"type":"response","id":"${id}".*\n`));
  return linesOf(tau.stdout.slice(0, tau.stdout.lastIndexOf("\n")))
    .find((line) => line.type === "response" && line.id === id);
}

const ARGS = ["rpc", "--model", "openai/gpt-4o"];

Deno.test("tau rpc runs prompts that come back to back, each in a run of its own, and ends with stdin", async () => {
  await inPlace(
    { script: [say("one"), say("two"), say("three")] },
    async ({ tau, requests }) => {
      const commands = ["a", "b", "c"].map((message) => ({
        id: message,
        type: "prompt",
        message,
      }));
      const { code, stdout } = await tau(ARGS, {
        stdin: commands.map((one) => `${JSON.stringify(one)}\r\n`).join(""),
      });
      assert.equal(code, 0);
      assert.deepEqual(resultsOf(stdout), [
        ["completed", "one"],
        ["completed", "two"],
        ["completed", "three"],
      ]);
      assert.deepEqual(
        linesOf(stdout).filter(({ type }) => type === "response")
          .map(({ id, data }) => [id, data.disposition]),
        [["a", "started"], ["b", "queued"], ["c", "queued"]],
      );
      assert.equal(requests.length, 3);
    },
  );
});

Deno.test("tau rpc answers what is no command, and goes on", async () => {
  await inPlace({ script: [] }, async ({ tau }) => {
    const { code, stdout, stderr } = await tau(ARGS, {
      stdin: [
        "{oops",
        "[1]",
        '{"id":1,"type":"nope"}',
        '{"type":"toString"}',
        '{"id":"x","type":"prompt"}',
        '{"id":"y","type":"prompt","message":"a","streamingBehavior":"later"}',
        '{"id":"z","type":"extension_ui_response","value":"v"}',
        '{"id":"s","type":"get_state"}',
        "",
      ].join("\n"),
    });
    assert.equal(code, 0, stderr);
    const [parse, list, unknown, inherited, empty, behavior, dialog, state] =
      linesOf(stdout);
    assert.equal(parse.command, "parse");
    assert.match(parse.error, /^Failed to parse command: /);
    assert.match(list.error, /expected an object/);
    assert.deepEqual([unknown.id, unknown.error], [1, "Unknown command: nope"]);
    assert.equal(inherited.error, "Unknown command: toString");
    assert.equal(empty.error, "message: expected a string that is not empty");
    assert.match(behavior.error, /streamingBehavior: expected/);
    assert.match(dialog.error, /No question with id "z"/);
    assert.equal(state.success, true);
    assert.equal(state.data.model, "openai/gpt-4o");
    assert.equal(state.data.isStreaming, false);
  });
});

Deno.test("tau rpc steers a run, stops it, and goes on with what was queued", async () => {
  const script = [
    say(
      "",
      call("bash", { command: "while [ ! -e go ]; do sleep 0.02; done" }),
    ),
    say("steered"),
    say("", call("bash", { command: "sleep 60" })),
    say("after the stop"),
  ];
  await inPlace({ script }, async ({ rpc, request }) => {
    await rpc([], async (tau) => {
      await tau.send({ id: "p", type: "prompt", message: "wait" });
      await tau.printed(/"type":"tool_execution_start"/);
      await tau.send({ id: "s", type: "steer", message: "hurry" });
      await tau.printed(/"type":"queue_update","steering":\["hurry"\]/);
      await tau.send(
        {
          id: "t",
          type: "bash",
          command: "touch go",
          excludeFromContext: true,
        },
      );
      assert.equal((await response(tau, "t")).data.output, "(no output)");
      await tau.printed(/"type":"result"/);
      assert.match(request(1).text, /hurry/);

      await tau.send({ id: "q", type: "prompt", message: "again" });
      await tau.printed(/sleep 60/);
      await tau.send(
        {
          id: "f",
          type: "prompt",
          message: "and then",
          streamingBehavior: "followUp",
        },
      );
      await tau.printed(/"followUp":\["and then"\]/);
      await tau.send({ id: "a", type: "abort" });
      assert.equal((await response(tau, "f")).data.disposition, "queued");
      assert.equal((await response(tau, "a")).success, true);
      await tau.send({ id: "l", type: "get_last_assistant_text" });
      assert.equal((await response(tau, "l")).data.text, "after the stop");
      await tau.send({ id: "m", type: "get_session_stats" });
      const { data } = await response(tau, "m");
      assert.equal(data.userMessages, 4);
      assert.equal(data.toolCalls, 2);
      await tau.endStdin();
      const { code, stdout, left } = await tau.ended();
      assert.equal(code, 0);
      assert.deepEqual(left, []);
      assert.deepEqual(resultsOf(stdout).map(([status]) => status), [
        "completed",
        "interrupted",
        "completed",
      ]);
    });
  });
});

Deno.test("tau rpc goes over to another session, and comes back by its file", async () => {
  const script = [say("first"), say("second"), say("third")];
  await inPlace({ script }, async ({ rpc, request }) => {
    await rpc([], async (tau) => {
      await tau.send({ type: "prompt", message: "begin" });
      await tau.printed(/"type":"result"/);
      await tau.send({ id: "1", type: "get_state" });
      const { sessionFile, sessionId } = (await response(tau, "1")).data;
      await tau.send({ id: "2", type: "new_session" }, {
        id: "3",
        type: "get_state",
      });
      const fresh = (await response(tau, "3")).data;
      assert.notEqual(fresh.sessionId, sessionId);
      assert.equal(fresh.messageCount, 0);
      await tau.send({ id: "p", type: "prompt", message: "elsewhere" });
      await tau.printed(/"type":"result".*"text":"second"/);
      await tau.send(
        { id: "4", type: "switch_session", sessionPath: sessionFile },
        { id: "5", type: "get_messages" },
      );
      const { messages } = (await response(tau, "5")).data;
      assert.match(JSON.stringify(messages), /begin.*first/);
      await tau.send({ id: "6", type: "prompt", message: "go on" });
      await tau.printed(/"type":"result".*"text":"third"/);
      assert.match(request(2).text, /begin/);
      assert.doesNotMatch(request(2).text, /elsewhere/);
      await tau.endStdin();
      assert.equal((await tau.ended()).code, 0);
    });
  });
});

Deno.test("tau rpc ends by a signal with its code, and nothing is left", async () => {
  const script = [say("", call("bash", { command: "sleep 60" }))];
  await inPlace({ script }, async ({ rpc }) => {
    await rpc([], async (tau) => {
      await tau.send({ type: "prompt", message: "wait" });
      await tau.printed(/"type":"tool_execution_start"/);
      tau.signal("SIGTERM");
      const { code, stdout, left } = await tau.ended();
      assert.equal(code, 143);
      assert.deepEqual(left, []);
      assert.deepEqual(resultsOf(stdout).map(([status]) => status), [
        "terminated",
      ]);
    });
  });
});

Deno.test("tau rpc refuses options of runs of one prompt", async () => {
  const { code, stderr } = await runTau([
    "rpc",
    "--output-last-message",
    "file",
  ]);
  assert.equal(code, 2);
  assert.match(stderr, /output-last-message/);
});

Deno.test("tau rpc puts a rule's question to the other side, takes the first answer, and takes its end for no", async () => {
  const run = (command: string) => say("", call("bash", { command }));
  const script = [
    ...[run("echo one"), say("done")],
    ...[run("echo one"), say("done again")],
    ...[run("echo two"), say("not run")],
  ];
  const settings = { permissions: { ask: ["bash(echo*)"] } };
  await inPlace({ script, settings }, async ({ rpc, request }) => {
    await rpc([], async (tau) => {
      await tau.send({ type: "prompt", message: "first" });
      await tau.printed(/"type":"extension_ui_request".*\n/);
      const asked = linesOf(tau.stdout).at(-1);
      assert.equal(asked.method, "select");
      assert.match(asked.title, /^Allow bash\?\necho one\n/);
      const { id, options: choices } = asked;
      const type = "extension_ui_response";
      await tau.send(
        { id, type, value: "yes" },
        { id, type, value: choices[1] },
        { id, type, value: choices[2] },
      );
      await tau.printed(/"text":"done"/);
      const refused = linesOf(tau.stdout).filter((line) =>
        line.type === "response" && line.command === type
      );
      assert.deepEqual(refused.map(({ error }) => error.slice(0, 11)), [
        "value: expe",
        "No question",
      ]);
      await tau.send({ type: "prompt", message: "again" });
      await tau.printed(/"text":"done again"/);
      await tau.send({ type: "prompt", message: "another" });
      await tau.printed(/Allow bash\?\\necho two/);
      await tau.endStdin();
      const { code, stdout, left } = await tau.ended();
      assert.equal(code, 0);
      assert.deepEqual(left, []);
      assert.equal(stdout.split("extension_ui_request").length, 3);
      assert.match(request(5).text, /did not approve/);
    });
  });
});

Deno.test("tau rpc ends with 0 wherever stdin ends, with all that was accepted done", async () => {
  const commands = [
    { id: "b", type: "bash", command: "echo one" },
    { id: "p", type: "prompt", message: "a" },
    { id: "s", type: "steer", message: "b" },
    { id: "g", type: "get_state" },
  ].map((command) => `${JSON.stringify(command)}\n`).join("");
  const ends = commands.split("\n").map((line, index, lines) =>
    lines.slice(0, index).join("\n").length + Math.ceil(line.length / 2)
  );
  await atOnce([0, ...ends, commands.length - 1], async (end) => {
    const script = [say("one"), say("two"), say("three")];
    await inPlace({ script }, async ({ tau }) => {
      const stdin = commands.slice(0, end);
      const { code, stdout, left, stderr } = await tau(ARGS, {
        stdin,
      });
      assert.equal(code, 0, stderr);
      assert.deepEqual(left, []);
      const lines = stdin.split("\n").filter((line) => line !== "");
      const responses = linesOf(stdout)
        .filter(({ type }) => type === "response");
      assert.equal(responses.length, lines.length, stdin);
      const prompts = responses.filter(({ command, success }) =>
        success && (command === "prompt" || command === "steer")
      );
      const said = linesOf(stdout).filter(({ type, message }) =>
        type === "message_end" && message.role === "user" && !message.origin
      );
      assert.equal(said.length, prompts.length);
    });
  });
});

Deno.test("tau rpc ends with 141 when nobody reads its answers, and with 10 without a key", async () => {
  await inPlace({ script: [] }, async ({ shell }) => {
    const { stdout } = await shell(
      `yes '{"type":"get_state"}' |
       { tau rpc --model openai/gpt-4o; echo "code $?" >&2; } 2>code | head -n 1 >first
       cat first; grep ^code code`,
    );
    assert.match(stdout, /^\{"type":"response".*\ncode 141\n$/);
  });
  const { code, stderr, stdout } = await runTau(["rpc"], { stdin: "" });
  assert.equal(code, 10);
  assert.equal(stdout, "");
  assert.match(stderr, /^tau: No model and no API key\.\n(tau: .*\n){2}$/);
});

Deno.test("tau rpc tells what a command of the user prints while it runs, and abort_bash stops it", async () => {
  await inPlace({ script: [] }, async ({ rpc }) => {
    await rpc([], async (tau) => {
      await tau.send({ id: "b", type: "bash", command: "echo on; sleep 60" });
      await tau.printed(/"type":"shell_update","id":"b","delta":"on\\n"/);
      await tau.send({ id: "a", type: "abort_bash" });
      const { data } = await response(tau, "b");
      assert.equal(data.cancelled, true);
      assert.equal(data.output, "on\n\nCommand aborted");
      await tau.endStdin();
      assert.equal((await tau.ended()).code, 0);
    });
  });
});
