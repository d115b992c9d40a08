import assert from "node:assert/strict";
import type { AgentMessage } from "../../src/agent/agent_message.ts";
import type { SessionEntry } from "../../src/session/session_entry.ts";
import { SessionProjection } from "../../src/session/session_projection.ts";
import { testModel } from "../support/scripted_model.ts";
import { chain, messageEntry } from "../support/session_entries.ts";
import { assertTranscript } from "../support/transcript.ts";
import { assistant, user } from "../support/transcript_builder.ts";

const SYSTEM: AgentMessage = { role: "system", content: "rules", timestamp: 0 };
const answer = (text: string) => assistant(testModel, [text]);

function project(entries: SessionEntry[]): AgentMessage[] {
  return new SessionProjection(entries).messages;
}

Deno.test("SessionProjection gives the stored messages themselves, without what is none", () => {
  const messages = [SYSTEM, user("one"), answer("two")];
  const entries = chain(
    { type: "model_change", provider: "p", modelId: "m" },
    ...messages.map(messageEntry),
    { type: "label", targetId: "b", label: "here" },
    { type: "custom", customType: "x" },
    { type: "session_info", name: "a name" },
  );
  const projected = project(entries);
  assert.deepEqual(projected, messages);
  projected.forEach((message, i) => assert.equal(message, messages[i]));
});

Deno.test("SessionProjection follows the branch that ends in the last entry", () => {
  const entries = chain(
    messageEntry(user("one")),
    messageEntry(answer("two")),
    messageEntry(user("wrong way")),
    messageEntry(answer("dead end")),
  );
  const [branch, end] = chain(
    messageEntry(user("x")),
    messageEntry(answer("y")),
  );
  assertTranscript(
    project([
      ...entries,
      { ...branch as SessionEntry, id: "k", parentId: "b" },
      { ...end as SessionEntry, id: "l", parentId: "k" },
    ]),
    `
    user       one
    assistant  two
    user       x
    assistant  y
  `,
  );
});

Deno.test("SessionProjection begins with the summary after a compaction, and with the latest of two", () => {
  const compaction = (summary: string, firstKeptEntryId: string) => ({
    type: "compaction" as const,
    summary,
    firstKeptEntryId,
    tokensBefore: 9,
  });
  const entries = chain(
    messageEntry(SYSTEM),
    messageEntry(user("one")),
    messageEntry(answer("two")),
    messageEntry(user("three")),
    compaction("S1", "d"),
    messageEntry(answer("four")),
    messageEntry(user("five")),
    compaction("S2", "g"),
    messageEntry(answer("six")),
  );
  const before =
    "The conversation history before this point was compacted into the following summary:⏎⏎<summary>⏎";
  assertTranscript(
    project(entries.slice(0, 6)),
    `
    system     rules
    user       ${before}S1⏎</summary>
    user       three
    assistant  four
  `,
  );
  assertTranscript(
    project(entries),
    `
    system     rules
    user       ${before}S2⏎</summary>
    user       five
    assistant  six
  `,
  );
});

Deno.test("SessionProjection applies edits of messages, and forgets those of another branch", () => {
  const entries = chain(
    messageEntry(user("one")),
    messageEntry(answer("two")),
    { type: "context_edit", targetId: "b", replacement: "2" },
    { type: "context_edit", targetId: "a", replacement: null },
  );
  assertTranscript(project(entries), "assistant  2");
  const [other] = chain(messageEntry(user("again")));
  assertTranscript(
    project([...entries, { ...other as SessionEntry, id: "z", parentId: "b" }]),
    `
    user       one
    assistant  two
    user       again
  `,
  );
});

Deno.test("SessionProjection goes on behind an entry that is lost, and in no circle", () => {
  const entries = chain(
    messageEntry(user("one")),
    messageEntry(answer("lost")),
    messageEntry(user("three")),
  );
  assertTranscript(
    project(entries.filter(({ id }) => id !== "b")),
    `
    user       one
    user       three
  `,
  );
  const [first, second] = entries as [SessionEntry, SessionEntry];
  const circle = [first, second, { ...first, parentId: second.id }];
  assert.equal(project(circle).length, 3);
});
