import { reasonOf } from "../model/error_reason.ts";
import { nearestKey } from "../model/nearest_key.ts";
import { readFileHead } from "../settings/read_file_head.ts";
import { UsageError } from "../settings/usage_error.ts";
import { cleanText } from "./clean_text.ts";
import type { Skill } from "./find_skills.ts";
import { parseFields, splitFrontMatter } from "./front_matter.ts";

/** A skill or template that a prompt can begin with, behind a slash. */
export interface PromptCommand {
  /** Without the slash. */
  name: string;
  description?: string;
  source: "skill" | "prompt";
}

/** Skills, and the folders of templates, of which earlier ones come first. */
export interface PromptSources {
  skills: readonly Skill[];
  templateFolders: readonly string[];
}

const MAX_BYTES = 256 * 1024;
const MAX_HEAD_BYTES = 16 * 1024;
const MAX_TEMPLATES = 200;
const MAX_DESCRIPTION = 1024;
const MAX_EDITS = 2;
const COMMAND = /^\/(skill:)?([\w-]{1,64})(?:\s+([^]*))?$/;
const TEMPLATE = /^([\w-]{1,64})\.md$/;
/**
 * Placeholders of a template: `$1`, `$@` and `$ARGUMENTS` for all,
 * `${1:-otherwise}`, `${@:2}` for all from the second on, `${@:2:3}` for three
 * of those.
 */
const PLACEHOLDER =
  /\$(?:(\d{1,3})|@|ARGUMENTS\b|\{(\d{1,3}):-([^{}]*)\}|\{@:(\d{1,3})(?::(\d{1,3}))?\})/g;

/**
 * Replaces `/skill:name words` by the text of a skill, and
 * `/name words` by a template, filled with the words. Any other prompt, one
 * that begins with a path for instance, is returned as it is.
 *
 * Throws {@linkcode UsageError} for a skill that does not exist, and, with
 * `refusesMistyped`, for a name that is nearly that of a template or skill.
 */
export function expandPrompt(
  prompt: string,
  { skills, templateFolders, refusesMistyped = false }: PromptSources & {
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
  { skills, templateFolders }: PromptSources,
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
    const why = reasonOf(error);
    throw new UsageError(`Cannot read ${JSON.stringify(path)}: ${why}`, {
      cause: error,
    });
  }
}

/** Lists all skills, and the templates of some folders; of two with one name that of the earlier folder counts. */
export async function listCommands(
  { skills, templateFolders }: PromptSources,
): Promise<PromptCommand[]> {
  const templates = new Map<string, string>();
  for (const folder of templateFolders) {
    for (const name of templatesIn(folder)) {
      if (templates.size >= MAX_TEMPLATES) break;
      if (!templates.has(name)) templates.set(name, `${folder}/${name}.md`);
    }
  }
  const prompts = await Promise.all(
    Array.from(templates, async ([name, path]): Promise<PromptCommand> => ({
      name,
      ...await descriptionIn(path),
      source: "prompt",
    })),
  );
  return [
    ...prompts,
    ...skills.map(({ name, description }): PromptCommand => ({
      name: `skill:${name}`,
      description,
      source: "skill",
    })),
  ];
}

function templatesIn(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)]
      .flatMap(({ name }) => TEMPLATE.exec(name)?.[1] ?? [])
      .sort();
  } catch {
    return [];
  }
}

async function descriptionIn(
  path: string,
): Promise<{ description?: string }> {
  try {
    const head = readFileHead(path, MAX_HEAD_BYTES);
    const { yaml } = splitFrontMatter(new TextDecoder().decode(head?.bytes));
    const description = (await parseFields(yaml)).get("description");
    return description === undefined
      ? {}
      : { description: cleanText(description).slice(0, MAX_DESCRIPTION) };
  } catch {
    return {};
  }
}

/**
 * Puts the arguments into a template. They are not searched for
 * placeholders. Where the template has none, they follow as they were given.
 */
export function fillTemplate(template: string, given: string): string {
  const args = splitArguments(given);
  let isUsed = false;
  const filled = template.replace(
    PLACEHOLDER,
    (
      _,
      n?: string,
      m?: string,
      otherwise?: string,
      from?: string,
      count?: string,
    ) => {
      isUsed = true;
      if (n !== undefined) return args[Number(n) - 1] ?? "";
      if (m !== undefined) return args[Number(m) - 1] || (otherwise ?? "");
      const start = from === undefined ? 0 : Math.max(0, Number(from) - 1);
      const end = count === undefined ? undefined : start + Number(count);
      return args.slice(start, end).join(" ");
    },
  );
  const rest = given.trim();
  return isUsed || rest === "" ? filled : `${filled}\n\n${rest}`;
}

/** Splits a text into words between spaces. A quote at the start of one holds spaces together, up to the same quote; `\"` inside is a quote. */
export function splitArguments(given: string): string[] {
  const words: string[] = [];
  const word = /\s*(?:"((?:\\["\\]|[^"])*)"|'([^']*)'|(\S+))/gy;
  for (const [, double, single, plain = ""] of given.matchAll(word)) {
    words.push(double?.replace(/\\(["\\])/g, "$1") ?? single ?? plain);
  }
  return words;
}
