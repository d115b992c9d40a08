import type { SystemMessage } from "../model/message.ts";
import type { JsonSchema } from "../model/tool.ts";
import type { ServedTool } from "./tool_server.ts";
import { contextSections, type PromptContext } from "./prompt_context.ts";

/** Facts that the system prompt depends on. */
export interface SystemPromptOptions {
  /** The active tools, in their order. */
  tools: readonly ServedTool[];
  /** Absolute. */
  cwd: string;
  /** Schema that the final answer has to fit. */
  answerSchema?: JsonSchema | undefined;
  /** Texts of the user's files and options. */
  context?: PromptContext | undefined;
}

const PREAMBLE =
  `You are tau, a coding agent. You work on the user's files with the tools below, in the user's working folder, and you finish the task you are given.`;

/**
 * The system prompt as named sections, so that a later message can replace
 * one: preamble, tools, rules, addendum, project_context, skills, cwd,
 * output_schema. It holds no date and no host name: the same run gives the
 * same prompt.
 */
export function buildSystemPrompt(
  { tools, cwd, answerSchema, context = {} }: SystemPromptOptions,
): SystemMessage {
  return {
    role: "system",
    content: context.systemPrompt ?? PREAMBLE,
    sections: {
      ...(context.systemPrompt === undefined
        ? {
          tools: tag("tools", toolList(tools)),
          rules: tag("rules", rules(tools)),
        }
        : {}),
      ...contextSections(context, tools),
      cwd: tag("cwd", cwd),
      ...(answerSchema
        ? { output_schema: tag("output_schema", outputRule(answerSchema)) }
        : {}),
    },
    timestamp: Date.now(),
  };
}

function toolList(tools: readonly ServedTool[]): string {
  const lines = tools
    .filter((tool) => tool.promptSnippet)
    .map((tool) => `- ${tool.tool.name}: ${tool.promptSnippet}`);
  return lines.length > 0 ? lines.join("\n") : "(none)";
}

function rules(tools: readonly ServedTool[]): string {
  const has = (name: string) => tools.some(({ tool }) => tool.name === name);
  const hasShell = has("bash") || has("powershell");
  const lines = new Set<string>();
  if (hasShell && !has("grep") && !has("find") && !has("ls")) {
    lines.add("Use the shell for listing, finding and searching files.");
  }
  for (const tool of tools) {
    for (const guideline of tool.promptGuidelines ?? []) lines.add(guideline);
  }
  lines.add("Be concise in your answers.");
  lines.add("Name the files that you worked on by their paths.");
  return [...lines].map((line) => `- ${line}`).join("\n");
}

function outputRule(schema: JsonSchema): string {
  return `Your last message, with which you end the task, is read by a program: it must be JSON that fits the schema below, and nothing else.
${JSON.stringify(schema)}`;
}

function tag(name: string, text: string): string {
  return `<${name}>\n${text}\n</${name}>`;
}
