import assert from "node:assert/strict";
import type { Message } from "../../src/model/message.ts";
import type { Model } from "../../src/model/model.ts";
import type { Context } from "../../src/model/stream.ts";
import { prepareMessages } from "../../src/providers/prepare_messages.ts";
import { testModel } from "../support/recorded_stream.ts";
import {
  assistant,
  toolCall,
  toolResult,
  transcriptLines,
  user,
} from "../support/transcript_builder.ts";

const model = testModel("openai-completions");
const png = {
  type: "image",
  data: "iVBORw0KGgo=",
  mimeType: "image/png",
} as const;

function prepare(
  messages: Message[],
  changes: Partial<Context> & { model?: Model } = {},
): string[] {
  const context = { messages, ...changes };
  const prepared = prepareMessages(context, {
    model: changes.model ?? model,
    idRules: { maxLength: 64 },
  });
  return transcriptLines(prepared.messages);
}

/** Cases: what is tested, a transcript, and how it is prepared. */
const CASES: [what: string, given: string, expected: string][] = [
  [
    "answers a call that an interruption left open, in call order, before the new text",
    `user: run both
     assistant: bash#k1 | bash#k2
     result k1: one
     user: go on`,
    `user: run both
     assistant: bash#k1 | bash#k2
     result k1: one
     error k2: No result provided
     user: go on`,
  ],
  [
    "leaves out a result whose call a compaction removed",
    `user: summary
     result gone: x
     assistant: ok`,
    `user: summary
     assistant: ok`,
  ],
  [
    "moves results behind their call, into call order",
    `user: a
     assistant: read#c1 | read#c2
     user: steered
     result c2: second
     result c1: first`,
    `user: a
     assistant: read#c1 | read#c2
     result c1: first
     result c2: second
     user: steered`,
  ],
  [
    "keeps the first of two results of one call",
    `user: a
     assistant: read#c1
     result c1: first
     result c1: again`,
    `user: a
     assistant: read#c1
     result c1: first`,
  ],
  [
    "joins user texts around an answer that failed, or has no text",
    `user: first
     error: half
     user: second
     assistant: \t
     user: third`,
    `user: first | second | third`,
  ],
  [
    "leaves out an aborted answer together with the results of its calls",
    `user: a
     aborted: half | read#c1
     error c1: Operation aborted
     user: b`,
    `user: a | b`,
  ],
  [
    "leaves out an answer that is only thinking",
    `user: a
     assistant: (x)
     user: b`,
    `user: a | b`,
  ],
  [
    "joins neighbouring answers",
    `user: a
     assistant: one
     user: \t
     assistant: two`,
    `user: a
     assistant: one | two`,
  ],
  [
    "renames an id that one message uses twice, and its results with it",
    `user: a
     assistant: bash#same | bash#same
     result same: A
     result same: B
     assistant: bash#same
     result same: C`,
    `user: a
     assistant: bash#same | bash#same2
     result same: A
     result same2: B
     assistant: bash#same3
     result same3: C`,
  ],
  [
    "gives the result of a repeated id to the later call",
    `user: a
     assistant: bash#same
     user: b
     assistant: bash#same
     result same: late`,
    `user: a
     assistant: bash#same
     error same: No result provided
     user: b
     assistant: bash#same2
     result same2: late`,
  ],
  [
    "marks the result of a tool without output",
    `user: a
     assistant: bash#c1
     result c1: \t`,
    `user: a
     assistant: bash#c1
     result c1: (no output)`,
  ],
  [
    "repairs ids and names that no provider takes",
    `user: a
     assistant: fs.read# | #${"x".repeat(70)}`,
    `user: a
     assistant: fs_read#call | unknown#${"x".repeat(64)}
     error call: No result provided
     error ${"x".repeat(64)}: No result provided`,
  ],
];

/** A message from its line: blocks between bars, calls as `name#id`, signed thoughts in parentheses. */
function messageOf(line: string): Message {
  const [, role = "", id = "", words = ""] =
    /^\s*(\w+) ?(\S*): ?(.*)$/.exec(line) ?? assert.fail(line);
  if (role === "user") return user(words);
  if (role === "result" || id !== "") {
    return toolResult(id, words, { isError: role === "error" });
  }
  const blocks = words.split(" | ").map((block) => {
    const [, name, callId] = /^(\S*)#(.*)$/.exec(block) ?? [];
    if (callId !== undefined) return toolCall(callId, name ?? "");
    return /^\(.*\)$/.test(block)
      ? { type: "thinking", thinking: block, thinkingSignature: "s" } as const
      : block;
  });
  return assistant(
    model,
    blocks,
    role === "assistant" ? {} : { stopReason: role as "error" | "aborted" },
  );
}

function linesOf(text: string): string[] {
  return text.split("\n").map((line) => line.trimStart());
}

for (const [what, given, expected] of CASES) {
  Deno.test(`prepareMessages() ${what}`, () => {
    const messages = linesOf(given).map(messageOf);
    const before = structuredClone(messages);
    assert.deepEqual(prepare(messages), linesOf(expected));
    assert.deepEqual(messages, before, "the transcript was changed in place");
  });
}

Deno.test("prepareMessages() keeps signed thinking for its own model only", () => {
  const thoughts = [
    { type: "thinking", thinking: "signed", thinkingSignature: "s" },
    { type: "thinking", thinking: "bare" },
  ] as const;
  const messages = [user("a"), assistant(model, [...thoughts, "answer"])];
  assert.deepEqual(prepare(messages), [
    "user: a",
    "assistant: (signed) | answer",
  ]);
  for (
    const other of [
      testModel("anthropic-messages"),
      testModel(model.api, { provider: "other" }),
      testModel(model.api, { id: "other" }),
    ]
  ) {
    assert.deepEqual(prepare(messages, { model: other }), [
      "user: a",
      "assistant: answer",
    ]);
  }
});

Deno.test("prepareMessages() replaces pictures for a model that sees none", () => {
  const messages = [
    user([{ type: "text", text: "look" }, png]),
    assistant(model, [toolCall("c1", "read")]),
    toolResult("c1", [png]),
  ];
  assert.deepEqual(prepare(messages), [
    "user: look | image",
    "assistant: read#c1",
    "result c1: image",
  ]);
  assert.deepEqual(
    prepare(messages, { model: testModel(model.api, { input: ["text"] }) }),
    [
      "user: look | (image omitted: model does not support images)",
      "assistant: read#c1",
      "result c1: (tool image omitted: model does not support images)",
    ],
  );
});

Deno.test("prepareMessages() collapses system messages into prompt and tools", () => {
  const tool = (name: string) => ({
    name,
    description: name,
    parameters: { type: "object" },
  });
  const messages: Message[] = [
    {
      role: "system",
      content: "Base.",
      sections: { rules: "old", cwd: "/a", __proto__x: "p" },
      toolsAdded: [tool("read"), tool("bash")],
      timestamp: 0,
    },
    user("hi"),
    {
      role: "system",
      content: "",
      sections: { rules: "new", cwd: null },
      toolsRemoved: [{ name: "read" }],
      timestamp: 0,
    },
  ];
  const options = { model, idRules: { maxLength: 64 } };
  assert.deepEqual(
    prepareMessages({ systemPrompt: "You are tau.", messages }, options),
    {
      systemPrompt: "You are tau.\n\nBase.\n\nnew\n\np",
      messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
      tools: [tool("bash")],
    },
  );
  const tools = [tool("ls")];
  assert.deepEqual(
    prepareMessages({ messages: [user("hi")], tools }, options),
    {
      messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
      tools,
    },
  );
});

Deno.test("prepareMessages() takes time in proportion to a transcript of one repeated id", () => {
  const messages: Message[] = [user("a")];
  for (let i = 0; i < 20_000; i++) {
    messages.push(
      assistant(model, [toolCall("same", "bash")]),
      toolResult("same", "x"),
    );
  }
  const prepared = prepareMessages({ messages }, {
    model,
    idRules: { maxLength: 64 },
  });
  const ids = new Set(
    prepared.messages.map((m) => m.role === "toolResult" ? m.toolCallId : ""),
  );
  assert.equal(ids.size, 20_001);
});
