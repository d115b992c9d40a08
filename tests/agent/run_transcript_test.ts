import assert from "node:assert/strict";
import { RunTranscript } from "../../src/agent/run_transcript.ts";
import { testTool } from "../support/test_tool.ts";

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
