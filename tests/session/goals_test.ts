import assert from "node:assert/strict";
import type { CheckEvent, CheckResult } from "../../src/session/check_goal.ts";
import {
  AgentSession,
  type AgentSessionOptions,
} from "../../src/session/agent_session.ts";
import { buildSystemPrompt } from "../../src/session/system_prompt.ts";
import {
  call,
  endingAs,
  say,
  scriptedModel,
  testModel,
} from "../support/scripted_model.ts";
import { testTool } from "../support/test_tool.ts";

const PASS: CheckResult = { passed: true, output: "ok" };
const FAIL: CheckResult = { passed: false, output: "1 failed\n\nexit 1" };

/** A session whose checks come out as told; keeps what they told. */
function setUp(
  model: ReturnType<typeof scriptedModel>,
  results: CheckResult[],
  options: Partial<AgentSessionOptions> & { retries?: number } = {},
) {
  const events: CheckEvent[] = [];
  const { retries = 2, ...rest } = options;
  const session = new AgentSession({
    model: testModel,
    systemPrompt: { role: "system", content: "rules", timestamp: 1 },
    tools: [testTool("look")],
    streamFn: model,
    emit: (event) => {
      if (event.type === "check_start" || event.type === "check_end") {
        events.push(event);
      }
    },
    check: {
      command: "make test",
      retries,
      run: () =>
        Promise.resolve(results.shift() ?? assert.fail("one check too many")),
    },
    ...rest,
  });
  return { session, events };
}

Deno.test("AgentSession.run() completes when the check passes", async () => {
  const model = scriptedModel(say("Done."));
  const { session, events } = setUp(model, [PASS]);
  assert.deepEqual(await session.run("go"), { kind: "completed" });
  assert.deepEqual(events, [
    { type: "check_start", command: "make test" },
    { type: "check_end", command: "make test", ...PASS },
  ]);
  model.assertPlayed();
});

Deno.test("AgentSession.run() tells the model of a failed check until its tries are used up", async () => {
  const model = scriptedModel(say("Done."), say("Now."), say("Really."));
  const { session } = setUp(model, [FAIL, FAIL, FAIL]);
  assert.deepEqual(await session.run("go"), {
    kind: "goal_missed",
    goal: "check",
    message: "The check fails: make test: exit 1",
  });
  model.assertPlayed();
  const told = model.contexts[1]?.messages.at(-1);
  assert.match(String(told?.content), /\$ make test\n1 failed\n\nexit 1/);
});

Deno.test("AgentSession.run() without tries ends at the first failed check", async () => {
  const model = scriptedModel(say("Done."));
  const { session } = setUp(model, [FAIL], { retries: 0 });
  const { kind } = await session.run("go");
  assert.equal(kind, "goal_missed");
  model.assertPlayed();
});

Deno.test("AgentSession.run() checks each run anew", async () => {
  const model = scriptedModel(say("One."), say("Two."), say("Three."));
  const { session } = setUp(model, [FAIL, PASS, PASS], { retries: 1 });
  assert.deepEqual(await session.run("go"), { kind: "completed" });
  assert.deepEqual(await session.run("go on"), { kind: "completed" });
  model.assertPlayed();
});

Deno.test("AgentSession.run() asks for the schema when the check has passed, and checks again after new work", async () => {
  const model = scriptedModel(
    say("Done."),
    say("", call("look")),
    say('{"n":1}'),
  );
  const { session, events } = setUp(model, [PASS, PASS], {
    answerSchema: { type: "object" },
  });
  assert.deepEqual(await session.run("go"), { kind: "completed" });
  assert.equal(events.length, 4);
  model.assertPlayed();
});

Deno.test("AgentSession.run() gives up on the schema after two more answers", async () => {
  const model = scriptedModel(say("One."), say("[]"), say("{}"));
  const { session } = setUp(model, [PASS], {
    answerSchema: { type: "string" },
  });
  assert.deepEqual(await session.run("go"), {
    kind: "goal_missed",
    goal: "schema",
    message:
      "The answer does not fit the output schema: root: Expected string, got object",
  });
  model.assertPlayed();
});

Deno.test("AgentSession.run() looks at no goal when the answer was cut off", async () => {
  const model = scriptedModel(endingAs("length", say("Half an")));
  const { session, events } = setUp(model, []);
  const { kind } = await session.run("go");
  assert.equal(kind, "limit");
  assert.deepEqual(events, []);
});

Deno.test("AgentSession.run() ends as aborted when it is stopped during a check", async () => {
  const model = scriptedModel(say("Done."));
  const stop = new AbortController();
  const { session } = setUp(model, [], {
    check: {
      command: "sleep 300",
      retries: 2,
      run: (_command, signal) => {
        const { promise, reject } = Promise.withResolvers<CheckResult>();
        signal?.addEventListener("abort", () => reject(signal.reason));
        stop.abort();
        return promise;
      },
    },
  });
  assert.deepEqual(await session.run("go", stop.signal), { kind: "aborted" });
  model.assertPlayed();
});

Deno.test("AgentSession.run() ends as failed when a check cannot be run at all", async () => {
  const model = scriptedModel(say("Done."));
  const { session } = setUp(model, [], {
    check: {
      command: "x",
      retries: 2,
      run: () => Promise.reject(new Error("no shell")),
    },
  });
  assert.deepEqual(await session.run("go"), {
    kind: "failed",
    message: "no shell",
  });
});

Deno.test("buildSystemPrompt() tells of the output schema only when there is one", () => {
  const { sections } = buildSystemPrompt({
    tools: [],
    cwd: "/w",
    answerSchema: { type: "object", title: "Report" },
  });
  assert.match(
    String(sections?.output_schema),
    /\{"type":"object","title":"Report"\}/,
  );
  const without = buildSystemPrompt({ tools: [], cwd: "/w" });
  assert(!("output_schema" in (without.sections ?? {})));
});
