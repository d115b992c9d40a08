import { nearestKey } from "../model/nearest_key.ts";
import { readFileHead } from "../settings/read_file_head.ts";
import { UsageError } from "../settings/usage_error.ts";
import type { Skill } from "./find_skills.ts";
import { splitFrontMatter } from "./front_matter.ts";
import { templatesIn } from "./list_commands.ts";
import { fillTemplate } from "./prompt_template.ts";

const MAX_BYTES = 256 * 1024;
const MAX_EDITS = 2;
const COMMAND = /^\/(skill:)?([\w-]{1,64})(?:\s+([^]*))?$/;

/**
 * What a prompt stands for: `/skill:name words` for the text of a skill,
 * `/name words` for a template, filled with the words. Any other prompt, one
 * that begins with a path for instance, stands for itself.
 *
 * Throws {@linkcode UsageError} for a skill that does not exist, and, with
 * `refusesMistyped`, for a name that is nearly that of a template or skill.
 */
export function expandPrompt(
  prompt: string,
  { skills, templateFolders, refusesMistyped = false }: {
    skills: readonly Skill[];
    /** Looked into in this order. */
    templateFolders: readonly string[];
    refusesMistyped?: boolean;
  },
): string {
  const [, isSkill, name, words = ""] = COMMAND.exec(prompt) ?? [];
  if (name === undefined) return prompt;
  if (isSkill) return useSkill(name, words, skills);
  for (const folder of templateFolders) {
    const template = readBody(`${folder}/${name}.md`);
    if (template !== undefined) return fillTemplate(template, words);
  }
  if (refusesMistyped) refuseMistyped(name, { skills, templateFolders });
  return prompt;
}

function refuseMistyped(
  name: string,
  { skills, templateFolders }: {
    skills: readonly Skill[];
    templateFolders: readonly string[];
  },
): void {
  const commands = new Map([
    ...skills.map(({ name }) => [name, `skill:${name}`] as const),
    ...templateFolders.flatMap(templatesIn)
      .map((name) => [name, name] as const),
  ]);
  const nearest = nearestKey(name, [...commands.keys()], {
    maxEdits: MAX_EDITS,
  });
  if (nearest === undefined) return;
  throw new UsageError(
    `Unknown prompt command "/${name}"; did you mean: /${
      commands.get(nearest)
    }. To send it as a prompt: tau -- /${name}`,
  );
}

function useSkill(
  wanted: string,
  words: string,
  skills: readonly Skill[],
): string {
  const skill = skills.find(({ name }) => name === wanted);
  if (!skill) {
    const names = skills.map(({ name }) => name);
    const nearest = nearestKey(wanted, names);
    const hint = nearest !== undefined
      ? `did you mean: /skill:${nearest}`
      : names.length === 0
      ? "there are none"
      : `available are ${names.join(", ")}`;
    throw new UsageError(`Unknown skill ${JSON.stringify(wanted)}; ${hint}`);
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
