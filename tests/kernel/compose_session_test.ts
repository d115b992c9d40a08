import assert from "node:assert/strict";
import { toolWrapper } from "../../src/kernel/compose_session.ts";
import type { Model, ThinkingLevel } from "../../src/model/model.ts";
import { createBashToolDefinition } from "../../src/tools/factories.ts";
import { outcomeOf } from "../support/tool_outcome.ts";

Deno.test("toolWrapper() tells commands their session, and the model that answers now", async () => {
  let answers: { model: Model; thinkingLevel?: ThinkingLevel } = {
    model: { provider: "one", id: "small" } as Model,
  };
  const bash = toolWrapper({ cwd: "/", sessionId: "s1" }, {
    sessionFile: () => "/s1.jsonl",
    answers: () => answers,
  })(createBashToolDefinition("/"));
  const command =
    'echo "$TAU_SESSION_ID $TAU_SESSION_FILE $TAU_PROVIDER $TAU_MODEL $TAU_REASONING_LEVEL"';
  assert.equal(
    (await outcomeOf(bash, { command })).text,
    "s1 /s1.jsonl one small off\n",
  );
  answers = {
    model: { provider: "two", id: "large" } as Model,
    thinkingLevel: "high",
  };
  assert.equal(
    (await outcomeOf(bash, { command })).text,
    "s1 /s1.jsonl two large high\n",
  );
});
