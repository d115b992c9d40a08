import { readFileHead } from "../settings/read_file_head.ts";
import { UsageError } from "../settings/usage_error.ts";
import type { Skill } from "./find_skills.ts";
import { splitFrontMatter } from "./front_matter.ts";
import { fillTemplate } from "./prompt_template.ts";

const MAX_BYTES = 256 * 1024;
const COMMAND = /^\/(skill:)?([\w-]{1,64})(?:\s+([^]*))?$/;

/**
 * What a prompt stands for: `/skill:name words` for the text of a skill,
 * `/name words` for a template, filled with the words. Any other prompt, one
 * that begins with a path for instance, stands for itself.
 *
 * Throws {@linkcode UsageError} for a skill that does not exist.
 */
export function expandPrompt(
  prompt: string,
  { skills, templateFolders }: {
    skills: readonly Skill[];
    /** Looked into in this order. */
    templateFolders: readonly string[];
  },
): string {
  const [, isSkill, name, words = ""] = COMMAND.exec(prompt) ?? [];
  if (name === undefined) return prompt;
  if (isSkill) return useSkill(name, words, skills);
  for (const folder of templateFolders) {
    const template = readBody(`${folder}/${name}.md`);
    if (template !== undefined) return fillTemplate(template, words);
  }
  return prompt;
}

function useSkill(
  wanted: string,
  words: string,
  skills: readonly Skill[],
): string {
  const skill = skills.find(({ name }) => name === wanted);
  if (!skill) {
    const names = skills.map(({ name }) => name).join(", ");
    throw new UsageError(
      `Unknown skill ${JSON.stringify(wanted)}; ${
        names === "" ? "there are none" : `available are ${names}`
      }`,
    );
  }
  const { name, location, folder } = skill;
  const text = [
    `<skill name="${name}" location="${location}">`,
    `References are relative to ${folder}.`,
    "",
    readBody(location) ?? "",
    "</skill>",
  ].join("\n");
  return words.trim() === "" ? text : `${text}\n\n${words}`;
}

/** A Markdown file without its front matter; undefined when there is none. */
function readBody(path: string): string | undefined {
  try {
    const head = readFileHead(path, MAX_BYTES);
    if (!head) return undefined;
    if (head.size > MAX_BYTES) throw new Error("it is larger than 256 KiB");
    return splitFrontMatter(new TextDecoder().decode(head.bytes)).body;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`Cannot read ${JSON.stringify(path)}: ${why}`, {
      cause: error,
    });
  }
}
