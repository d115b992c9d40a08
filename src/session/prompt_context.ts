import type { ServedTool } from "./tool_server.ts";

/** A file with instructions of the project, or of the user for all projects. */
export interface InstructionFile {
  /** Absolute. */
  path: string;
  text: string;
}

/** Instructions for one kind of task, which the model reads when it needs them. */
export interface SkillSummary {
  name: string;
  description: string;
  /** Path of the file to read, absolute and real. */
  location: string;
}

/** Texts from the user's files and options for the system prompt. */
export interface PromptContext {
  /** Takes the place of all that the product says of itself and its tools. */
  systemPrompt?: string | undefined;
  /** Added to the prompt. */
  addendum?: string | undefined;
  /** From the most general to the most specific. */
  instructions?: InstructionFile[] | undefined;
  skills?: SkillSummary[] | undefined;
}

/** Tools that can read a skill. */
const READERS: ReadonlySet<string> = new Set(["read", "bash", "powershell"]);

/** The sections of a system prompt that tell of a context, without those that have nothing to tell. */
export function contextSections(
  { addendum, instructions = [], skills = [] }: PromptContext,
  tools: readonly ServedTool[],
): Record<string, string> {
  const canRead = tools.some(({ tool }) => READERS.has(tool.name));
  return {
    ...(addendum ? { addendum: `<addendum>\n${addendum}\n</addendum>` } : {}),
    ...(instructions.length > 0
      ? { project_context: projectContext(instructions) }
      : {}),
    ...(canRead && skills.length > 0 ? { skills: skillList(skills) } : {}),
  };
}

function projectContext(files: readonly InstructionFile[]): string {
  const blocks = files.map(({ path, text }) =>
    `<project_instructions path="${
      escapeXml(path)
    }">\n${text}\n</project_instructions>`
  );
  return [
    "<project_context>",
    "Instructions for this project. Where they differ, a later file counts.",
    ...blocks,
    "</project_context>",
  ].join("\n");
}

function skillList(skills: readonly SkillSummary[]): string {
  const blocks = skills.map(({ name, description, location }) =>
    [
      "<skill>",
      `<name>${escapeXml(name)}</name>`,
      `<description>${escapeXml(description)}</description>`,
      `<location>${escapeXml(location)}</location>`,
      "</skill>",
    ].join("\n")
  );
  return [
    "<skills>",
    "Instructions for kinds of tasks. When a task fits a description, read the whole file at its location first; relative paths in it start at its folder.",
    "<available_skills>",
    ...blocks,
    "</available_skills>",
    "</skills>",
  ].join("\n");
}

/** Text as it can stand in a tag or an attribute; no name can end either. */
function escapeXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replace(/[\r\n]+/g, " ");
}
