import { readFileHead } from "../settings/read_file_head.ts";
import { cleanText } from "./clean_text.ts";
import type { Skill } from "./find_skills.ts";
import { parseFields, splitFrontMatter } from "./front_matter.ts";

/** What a prompt can begin with, behind a slash. */
export interface PromptCommand {
  /** Without the slash. */
  name: string;
  description?: string;
  source: "skill" | "prompt";
}

const MAX_TEMPLATES = 200;
const MAX_HEAD_BYTES = 16 * 1024;
const MAX_DESCRIPTION = 1024;
const TEMPLATE = /^([\w-]{1,64})\.md$/;

/** All skills, and the templates of some folders; of two with one name that of the earlier folder counts. */
export async function listCommands(
  { skills, templateFolders }: {
    skills: readonly Skill[];
    templateFolders: readonly string[];
  },
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

/** Names of the templates in a folder, sorted; none where it cannot be read. */
export function templatesIn(folder: string): string[] {
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
