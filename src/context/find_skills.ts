import { reasonOf } from "../model/error_reason.ts";
import type { SkillSummary } from "../session/prompt_context.ts";
import { readFileHead } from "../settings/read_file_head.ts";
import { cleanText } from "./clean_text.ts";
import { parseFields, splitFrontMatter } from "./front_matter.ts";

/** A folder with a `SKILL.md`. */
export interface Skill extends SkillSummary {
  /** Absolute and real. */
  folder: string;
  /** False where only the user may ask for it, by `/skill:name`. */
  isOffered: boolean;
}

/** Skills that were found, and lines for stderr about what is none. */
export interface FoundSkills {
  skills: Skill[];
  warnings: string[];
}

const MAX_HEAD_BYTES = 16 * 1024;
const MAX_SKILLS = 200;
const MAX_FOLDERS = 2000;
const MAX_DEPTH = 4;
const MAX_DESCRIPTION = 1024;
const NAME = /^[a-z\d]+(?:-[a-z\d]+)*$/;

/**
 * The skills below some folders, those of earlier folders before those of
 * later ones; of two with one name the first counts. Nothing below a skill is
 * looked at. `cwd` is the working folder, real.
 */
export async function findSkills(
  roots: readonly string[],
  { cwd }: { cwd: string },
): Promise<FoundSkills> {
  const skills = new Map<string, Skill>();
  const warnings: string[] = [];
  let folders = 0;
  for (const root of roots) {
    for (const folder of skillFolders(root, () => ++folders <= MAX_FOLDERS)) {
      if (skills.size >= MAX_SKILLS) {
        warnings.push(`Only the first ${MAX_SKILLS} skills are used`);
        return { skills: [...skills.values()], warnings };
      }
      try {
        const skill = await readSkill(folder);
        if (skills.has(skill.name)) {
          throw new Error(`there is another skill "${skill.name}"`);
        }
        const isBelow = skill.folder.startsWith(`${cwd}/`);
        if (skill.folder.includes(",") && !isBelow) {
          throw new Error("no path with a comma can be granted to the kernel");
        }
        skills.set(skill.name, skill);
      } catch (error) {
        const [why] = reasonOf(error)
          .split("\n");
        warnings.push(
          `The skill in ${JSON.stringify(folder)} is left out: ${why}`,
        );
      }
    }
  }
  return { skills: [...skills.values()], warnings };
}

/** Folders that hold a `SKILL.md`, in the order of their names. Links are followed, down to a depth that no loop survives. */
function* skillFolders(
  folder: string,
  mayGoOn: () => boolean,
  depth = 0,
): Iterable<string> {
  if (!mayGoOn()) return;
  let names: string[];
  try {
    names = [...Deno.readDirSync(folder)]
      .filter(({ isFile, name }) => !isFile || name === "SKILL.md")
      .map(({ name }) => name);
  } catch {
    // No folder, or none that may be read.
    return;
  }
  if (depth > 0 && names.includes("SKILL.md")) return yield folder;
  if (depth === MAX_DEPTH) return;
  for (const name of names.sort()) {
    if (name.startsWith(".") || name === "node_modules") continue;
    yield* skillFolders(`${folder}/${name}`, mayGoOn, depth + 1);
  }
}

async function readSkill(path: string): Promise<Skill> {
  const folder = Deno.realPathSync(path);
  const location = `${folder}/SKILL.md`;
  const head = readFileHead(location, MAX_HEAD_BYTES);
  if (!head) throw new Error("its SKILL.md leads nowhere");
  const { yaml } = splitFrontMatter(new TextDecoder().decode(head.bytes));
  const fields = await parseFields(yaml);
  const name = fields.get("name") ?? folder.slice(folder.lastIndexOf("/") + 1);
  const description = cleanText(fields.get("description") ?? "");
  if (name.length > 64 || !NAME.test(name)) {
    throw new Error(
      `its name ${
        JSON.stringify(name.slice(0, 100))
      } is not of a-z, 0-9 and single "-"`,
    );
  }
  if (description === "") throw new Error("it has no description");
  if (description.length > MAX_DESCRIPTION) {
    throw new Error(
      `its description is longer than ${MAX_DESCRIPTION} characters`,
    );
  }
  const isOffered = fields.get("disable-model-invocation") !== "true";
  return { name, description, location, folder, isOffered };
}
