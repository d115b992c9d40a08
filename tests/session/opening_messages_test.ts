import assert from "node:assert/strict";
import type { AgentMessage } from "../../src/agent/agent_message.ts";
import type { SystemMessage } from "../../src/model/message.ts";
import { openingMessages } from "../../src/session/opening_messages.ts";
import { testModel } from "../support/scripted_model.ts";
import {
  assistant,
  toolCall,
  toolResult,
  user,
} from "../support/transcript_builder.ts";

const PROMPT: SystemMessage = {
  role: "system",
  content: "You are tau.",
  sections: { rules: "be brief", cwd: "/a" },
  timestamp: 1,
};
const USER = user("go on");

function opening(
  transcript: AgentMessage[],
  systemPrompt: SystemMessage = PROMPT,
): AgentMessage[] {
  return [...openingMessages(transcript, systemPrompt), USER];
}

Deno.test("openingMessages() says the prompt once", () => {
  const first = opening([]);
  assert.deepEqual(first, [PROMPT, USER]);
  assert.deepEqual(opening(first), [USER]);
});

Deno.test("openingMessages() says what is new in the prompt and takes back what is gone", () => {
  const { content: _, ...prompt } = PROMPT;
  assert.deepEqual(
    opening([PROMPT], {
      ...PROMPT,
      sections: { cwd: "/b", skills: "one" },
    }),
    [
      {
        ...prompt,
        content: "",
        sections: { cwd: "/b", skills: "one", rules: null },
      },
      USER,
    ],
  );
});

Deno.test("openingMessages() answers the calls that a run left open, in their order", () => {
  const transcript = [
    PROMPT,
    user("hi"),
    assistant(testModel, [
      toolCall("k1", "bash"),
      toolCall("k2", "read"),
      toolCall("k3", "ls"),
    ]),
    toolResult("k2", "read"),
  ];
  const [first, second, ...rest] = opening(transcript);
  assert.deepEqual(rest, [USER]);
  for (const [message, id] of [[first, "k1"], [second, "k3"]] as const) {
    assert(message?.role === "toolResult");
    assert.equal(message.toolCallId, id);
    assert.equal(message.isError, true);
    assert.match(JSON.stringify(message.content), /Interrupted/);
  }
});

Deno.test("openingMessages() answers no call of a message that is never sent again", () => {
  for (const stopReason of ["error", "aborted"] as const) {
    const broken = assistant(testModel, [toolCall("k1", "bash")], {
      stopReason,
    });
    assert.deepEqual(opening([PROMPT, user("hi"), broken]), [USER]);
  }
});
