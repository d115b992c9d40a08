import assert from "node:assert/strict";
import type { AgentContext } from "../../src/agent/loop_config.ts";
import { RunTranscript } from "../../src/agent/run_transcript.ts";
import { testTool } from "../support/test_tool.ts";
import { user } from "../support/transcript_builder.ts";

Deno.test("RunTranscript leaves the contexts that it is given as they are", () => {
  const first: AgentContext = { messages: [user("a")], tools: [] };
  const second: AgentContext = { messages: [user("b")], tools: [] };
  const transcript = new RunTranscript(first);
  transcript.store(user("c"));
  transcript.replace(second);
  transcript.store(user("d"));
  first.messages.push(user("later"));
  assert.deepEqual(second, { messages: [user("b")], tools: [] });
  assert.deepEqual(transcript.context.messages, [user("b"), user("d")]);
  assert.deepEqual(transcript.added, [user("c"), user("d")]);
});

Deno.test("RunTranscript copies a list of tools that may change, and keeps a frozen one", () => {
  const tools = [testTool("a")];
  const frozen = Object.freeze([testTool("b")]);
  const transcript = new RunTranscript({ messages: [], tools });
  tools.pop();
  assert.deepEqual(transcript.context.tools?.map(({ name }) => name), ["a"]);
  transcript.useTools(frozen);
  assert.equal(transcript.context.tools, frozen);
  const { context } = transcript;
  transcript.useTools(frozen);
  assert.equal(transcript.context, context);
});

Deno.test("RunTranscript says to a request what it has read, and of another context what that holds", () => {
  const transcript = new RunTranscript({ messages: [user("a")] });
  transcript.store(user("b"));
  const sent = transcript.requestMessages(transcript.context).toContext();
  transcript.store(user("c"));
  assert.deepEqual(sent.messages, [user("a"), user("b")]);
  const other = transcript.requestMessages({ messages: [user("z")] });
  assert.deepEqual(other.toContext().messages, [user("z")]);
});
