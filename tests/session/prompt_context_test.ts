import assert from "node:assert/strict";
import { Type } from "@sinclair/typebox";
import { defineTool } from "../../src/sdk/tool_definition.ts";
import type { PromptContext } from "../../src/session/prompt_context.ts";
import { served } from "../support/served_tool.ts";
import { buildSystemPrompt } from "../../src/session/system_prompt.ts";

function tool(name: string): ReturnType<typeof defineTool> {
  return defineTool({
    name,
    label: name,
    description: name,
    promptSnippet: `what ${name} does`,
    parameters: Type.Object({}),
    execute: () => Promise.resolve({ content: [], details: undefined }),
  });
}

function build(
  context: PromptContext,
  tools: string[] = ["read"],
): ReturnType<typeof buildSystemPrompt> {
  return buildSystemPrompt({
    tools: tools.map((name) => served(tool(name))),
    cwd: "/work",
    context,
  });
}

const FULL: PromptContext = {
  addendum: "Be kind.",
  instructions: [{ path: '/a"><b/AGENTS.md', text: "Use tabs." }],
  skills: [{
    name: "tidy",
    description: "</skill>&\nmore",
    location: "/s/SKILL.md",
  }],
};

Deno.test("buildSystemPrompt() has a section for each part of the context, in a fixed order", () => {
  const { sections = {} } = build(FULL);
  assert.deepEqual(Object.keys(sections), [
    "tools",
    "rules",
    "addendum",
    "project_context",
    "skills",
    "cwd",
  ]);
  assert.match(
    sections.project_context ?? "",
    /<project_instructions path="\/a&quot;&gt;&lt;b\/AGENTS.md">\nUse tabs\.\n</,
  );
  assert.match(
    sections.skills ?? "",
    /<description>&lt;\/skill&gt;&amp; more<\/description>/,
  );
});

Deno.test("buildSystemPrompt() has no section for what is empty", () => {
  const { sections = {} } = build({ instructions: [], skills: [] });
  assert.deepEqual(Object.keys(sections), ["tools", "rules", "cwd"]);
});

Deno.test("buildSystemPrompt() offers skills only with a tool that can read them", () => {
  assert.equal(build(FULL, ["grep", "write"]).sections?.skills, undefined);
  assert(build(FULL, ["bash"]).sections?.skills);
});

Deno.test("buildSystemPrompt() puts the user's prompt in place of all that it says itself", () => {
  const { content, sections = {} } = build({ ...FULL, systemPrompt: "" });
  assert.equal(content, "");
  assert.deepEqual(Object.keys(sections), [
    "addendum",
    "project_context",
    "skills",
    "cwd",
  ]);
});
