import assert from "node:assert/strict";
import fc from "fast-check";
import {
  canonicalRequest,
  hashOfRequest,
} from "../../src/host/recording/canonical_request.ts";
import { NeutralText } from "../../src/host/recording/neutral_text.ts";
import type { JsonObject } from "../../src/model/content.ts";
import { emptyUsage, type Message } from "../../src/model/message.ts";
import type { Context, StreamOptions } from "../../src/model/stream.ts";

/** What differs between two runs of one conversation. */
interface Chance {
  cwd: string;
  homeDir: string;
  outputDir: string;
  id: string;
  timeMs: number;
  model: string;
}

interface Said {
  prompt: string;
  answer: string;
  command: string;
  output: string;
  description: string;
}

const SAID: Said = {
  prompt: "Mend it",
  answer: "I will look.",
  command: "npm test",
  output: "2 failed",
  description: "Runs a command",
};

const FIRST: Chance = {
  cwd: "/home/ann/app",
  homeDir: "/home/ann",
  outputDir: "/tmp/tau-1",
  id: "call_1",
  timeMs: 0,
  model: "m",
};

/** A conversation in which all that may differ has its place. */
function conversation(
  { prompt, answer, command, output, description }: Said,
  { cwd, homeDir, outputDir, id, timeMs: timestamp, model }: Chance,
): Context {
  const day = new Date(timestamp).toISOString();
  const messages: Message[] = [
    {
      role: "system",
      content: "You are tau.",
      sections: { cwd: `<cwd>\n${cwd}\n</cwd>`, addendum: `Today is ${day}` },
      timestamp,
    },
    { role: "user", content: prompt, timestamp },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Hm.", thinkingSignature: `sig-${id}` },
        { type: "text", text: answer, textSignature: id },
        {
          type: "toolCall",
          id,
          name: "bash",
          arguments: { command, cwd: `${cwd}/src`, home: `${homeDir}/x` },
        },
      ],
      api: "openai-completions",
      provider: model,
      model,
      responseId: `r-${id}`,
      usage: { ...emptyUsage(), input: timestamp },
      stopReason: "toolUse",
      timestamp,
      durationMs: timestamp,
    },
    {
      role: "toolResult",
      toolCallId: id,
      toolName: "bash",
      isError: false,
      content: [{
        type: "text",
        text: `${output}\n[Full output: ${outputDir}/bash-${timestamp}.log]`,
      }],
      details: { fullOutputPath: outputDir },
      timestamp,
      durationMs: timestamp,
    },
  ];
  const parameters = {
    type: "object",
    properties: { command: { type: "string", description } },
  };
  return {
    messages,
    tools: [{ name: "bash", description: `In ${cwd}`, parameters }],
  };
}

async function hashOf(
  context: Context,
  { cwd, homeDir, outputDir }: Chance = FIRST,
  options: StreamOptions = {},
): Promise<string> {
  const neutral = new NeutralText({
    cwd,
    homeDir: [homeDir],
    outputDir,
    secrets: [],
  });
  return await hashOfRequest(
    await canonicalRequest({ context, options }, neutral),
  );
}

const name = fc.stringMatching(/^[a-z][a-z0-9]{2,9}$/);
const chance: fc.Arbitrary<Chance> = fc.record({
  cwd: fc.tuple(name, name).map((names) => `/w/${names.join("/")}`),
  homeDir: name.map((user) => `/users/${user}`),
  outputDir: fc.uuid().map((id) => `/var/out/${id}`),
  id: fc.uuid(),
  timeMs: fc.integer({ min: 0, max: 4_000_000_000_000 }),
  model: name,
});
const said: fc.Arbitrary<Said> = fc.record({
  prompt: fc.string(),
  answer: fc.string(),
  command: fc.string(),
  output: fc.string(),
  description: fc.string(),
});

Deno.test("hashOfRequest() is the same for the same conversation in another folder, on another day, with other ids", async () => {
  await fc.assert(
    fc.asyncProperty(said, chance, async (said, chance) => {
      assert.equal(
        await hashOf(conversation(said, chance), chance),
        await hashOf(conversation(said, FIRST)),
      );
    }),
    { numRuns: 150 },
  );
});

Deno.test("hashOfRequest() is another one when anything that is said changes", async () => {
  const member = fc.constantFrom(...Object.keys(SAID) as (keyof Said)[]);
  await fc.assert(
    fc.asyncProperty(
      said,
      member,
      fc.stringMatching(/^[a-z ]{1,8}$/),
      async (said, member, more) => {
        const changed = { ...said, [member]: said[member] + more };
        assert.notEqual(
          await hashOf(conversation(changed, FIRST)),
          await hashOf(conversation(said, FIRST)),
        );
      },
    ),
    { numRuns: 150 },
  );
});

const CHANGES: Record<string, (context: Context) => void> = {
  "a schema": ({ tools }) => {
    (tools?.[0]?.parameters as JsonObject).required = ["command"];
  },
  "the name of a tool": ({ tools = [] }) => {
    tools[0] = { ...tools[0]!, name: "sh" };
  },
  "no tools": (context) => {
    context.tools = [];
  },
  "the system prompt": (context) => {
    context.systemPrompt = "Be brief.";
  },
  "a section": ({ messages: [system] }) => {
    (system as { sections: JsonObject }).sections.rules = "Be brief.";
  },
  "a failure": ({ messages }) => {
    (messages[3] as { isError: boolean }).isError = true;
  },
  "a thought": ({ messages }) => {
    (messages[2] as { content: { thinking: string }[] }).content[0]!.thinking =
      "Oh.";
  },
  "an image": ({ messages }) => {
    messages[1] = {
      role: "user",
      content: [{ type: "image", data: "AAAA", mimeType: "image/png" }],
      timestamp: 0,
    };
  },
  "another order": ({ messages }) => {
    messages.reverse();
  },
};

for (const [what, change] of Object.entries(CHANGES)) {
  Deno.test(`hashOfRequest() is another one with ${what}`, async () => {
    const context = conversation(SAID, FIRST);
    const before = await hashOf(context);
    change(context);
    assert.notEqual(await hashOf(context), before);
  });
}

Deno.test("hashOfRequest() tells settings of the request apart", async () => {
  const context = conversation(SAID, FIRST);
  const hashes = new Set<string>();
  const all: StreamOptions[] = [
    {},
    { reasoning: "low" },
    { reasoning: "high" },
    { toolChoice: "none" },
    { maxTokens: 10 },
    { temperature: 0 },
  ];
  for (const options of all) hashes.add(await hashOf(context, FIRST, options));
  assert.equal(hashes.size, all.length);
  const secret = { apiKey: "k", headers: { a: "b" }, sessionId: "s" };
  assert(hashes.has(await hashOf(context, FIRST, secret)));
});

Deno.test("canonicalRequest() does not care for the order of a schema's members, or for answers that failed", async () => {
  const context = conversation(SAID, FIRST);
  const before = await hashOf(context);
  const tool = context.tools![0]!;
  const { type, properties } = tool.parameters as JsonObject;
  tool.parameters = { properties, type };
  const failed = { ...context.messages[2]!, stopReason: "error" } as Message;
  context.messages.splice(2, 0, failed);
  assert.equal(await hashOf(context), before);
});

Deno.test("canonicalRequest() keeps prompts and results alone when only those count", async () => {
  const { cwd, outputDir } = FIRST;
  const { settings, messages } = await canonicalRequest(
    { context: conversation(SAID, FIRST), options: { reasoning: "low" } },
    new NeutralText({ cwd, outputDir, secrets: [] }),
    "prompts",
  );
  assert.deepEqual([settings, ...messages].map((json) => JSON.parse(json)), [
    {},
    { role: "user", text: "Mend it" },
    {
      role: "toolResult",
      toolName: "bash",
      isError: false,
      text: "2 failed\n[Full output: <tau:output:1>]",
    },
  ]);
});

Deno.test("canonicalRequest() takes arguments with odd names as they are", async () => {
  const context = conversation(SAID, FIRST);
  const before = await hashOf(context);
  const [, , answer] = context.messages;
  const block = (answer as { content: { arguments: JsonObject }[] })
    .content[2]!;
  block.arguments = JSON.parse('{"__proto__":{"a":1},"command":"npm test"}');
  assert.notEqual(await hashOf(context), before);
});
