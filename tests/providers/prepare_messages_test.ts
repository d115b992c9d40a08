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

interface Case {
  name: string;
  messages: Message[];
  expected: string[];
}

const cases: Case[] = [
  {
    name:
      "answers a call that an interruption left open, in call order, before the new text",
    messages: [
      user("run both"),
      assistant(model, [toolCall("k1", "bash"), toolCall("k2", "bash")]),
      toolResult("k1", "one"),
      user("go on"),
    ],
    expected: [
      "user: run both",
      "assistant: bash#k1 | bash#k2",
      "result k1: one",
      "error k2: No result provided",
      "user: go on",
    ],
  },
  {
    name: "leaves out a result whose call a compaction removed",
    messages: [
      user("summary"),
      toolResult("gone", "x"),
      assistant(model, ["ok"]),
    ],
    expected: ["user: summary", "assistant: ok"],
  },
  {
    name: "moves results behind their call, into call order",
    messages: [
      user("a"),
      assistant(model, [toolCall("c1", "read"), toolCall("c2", "read")]),
      user("steered"),
      toolResult("c2", "second"),
      toolResult("c1", "first"),
    ],
    expected: [
      "user: a",
      "assistant: read#c1 | read#c2",
      "result c1: first",
      "result c2: second",
      "user: steered",
    ],
  },
  {
    name: "keeps the first of two results of one call",
    messages: [
      user("a"),
      assistant(model, [toolCall("c1", "read")]),
      toolResult("c1", "first"),
      toolResult("c1", "again"),
    ],
    expected: ["user: a", "assistant: read#c1", "result c1: first"],
  },
  {
    name: "joins user texts around an answer that failed",
    messages: [
      user("first"),
      assistant(model, [], { stopReason: "error", errorMessage: "x" }),
      user("second"),
      assistant(model, [" \n"]),
      user("third"),
    ],
    expected: ["user: first | second | third"],
  },
  {
    name: "leaves out an aborted answer together with the results of its calls",
    messages: [
      user("a"),
      assistant(model, ["half", toolCall("c1", "read")], {
        stopReason: "aborted",
      }),
      toolResult("c1", "Operation aborted", { isError: true }),
      user("b"),
    ],
    expected: ["user: a | b"],
  },
  {
    name: "joins neighbouring answers",
    messages: [
      user("a"),
      assistant(model, ["one"]),
      user("  "),
      assistant(model, ["two"]),
    ],
    expected: ["user: a", "assistant: one | two"],
  },
  {
    name: "renames an id that one message uses twice, and its results with it",
    messages: [
      user("a"),
      assistant(model, [toolCall("same", "bash"), toolCall("same", "bash")]),
      toolResult("same", "A"),
      toolResult("same", "B"),
      assistant(model, [toolCall("same", "bash")]),
      toolResult("same", "C"),
    ],
    expected: [
      "user: a",
      "assistant: bash#same | bash#same2",
      "result same: A",
      "result same2: B",
      "assistant: bash#same3",
      "result same3: C",
    ],
  },
  {
    name: "gives the result of a repeated id to the later call",
    messages: [
      user("a"),
      assistant(model, [toolCall("same", "bash")]),
      user("b"),
      assistant(model, [toolCall("same", "bash")]),
      toolResult("same", "late"),
    ],
    expected: [
      "user: a",
      "assistant: bash#same",
      "error same: No result provided",
      "user: b",
      "assistant: bash#same2",
      "result same2: late",
    ],
  },
  {
    name: "says that a tool said nothing",
    messages: [
      user("a"),
      assistant(model, [toolCall("c1", "bash")]),
      toolResult("c1", "\n"),
    ],
    expected: ["user: a", "assistant: bash#c1", "result c1: (no output)"],
  },
  {
    name: "repairs ids and names that no provider takes",
    messages: [
      user("a"),
      assistant(model, [toolCall("", "fs.read"), toolCall("x".repeat(70), "")]),
    ],
    expected: [
      "user: a",
      `assistant: fs_read#call | unknown#${"x".repeat(64)}`,
      "error call: No result provided",
      `error ${"x".repeat(64)}: No result provided`,
    ],
  },
];

for (const { name, messages, expected } of cases) {
  Deno.test(`prepareMessages() ${name}`, () => {
    const before = structuredClone(messages);
    assert.deepEqual(prepare(messages), expected);
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

Deno.test("prepareMessages() leaves out an answer that is only thinking", () => {
  const thought = {
    type: "thinking",
    thinking: "x",
    thinkingSignature: "s",
  } as const;
  assert.deepEqual(
    prepare([user("a"), assistant(model, [thought]), user("b")]),
    ["user: a | b"],
  );
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
