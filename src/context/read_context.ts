import type { UserContent } from "../model/content.ts";
import type { PromptContext } from "../session/prompt_context.ts";
import type { Skill } from "./find_skills.ts";
import {
  type FoundInstructions,
  readInstructionFiles,
} from "./instruction_files.ts";
import type { PromptCommand } from "./prompt_commands.ts";

/** Prompt and options of a run, and the folders with more context. */
export interface ContextOptions {
  prompt: string;
  /** The prompt is used as it is, also where it begins with a slash. Default false. */
  isPlain?: boolean | undefined;
  /** Paths of `@file` arguments, as they were given. */
  attachments?: readonly string[] | undefined;
  /** A text or the name of a file. */
  systemPrompt?: string | undefined;
  /** A text or the name of a file. */
  appendSystemPrompt?: string | undefined;
  /** Read AGENTS.md and the like. */
  instructionFiles: boolean;
  /** The working folder, absolute and real. */
  cwd: string;
  /** `TAU_HOME`. */
  home: string | undefined;
  /** `.tau` of a trusted project. */
  project: string | undefined;
  /** `--trust` or a saved decision, also where there is no `.tau`. */
  isTrusted(): boolean;
  /** The folder that `~/` means. */
  homeDir: string | undefined;
}

/** Prompt and context of a run, read. */
export interface ReadContext {
  prompt: string | UserContent[];
  /** Expands a later prompt, with the files that are attached to it. Rejects like {@linkcode readContext}. */
  expand(
    prompt: string,
    attachments?: readonly string[],
  ): Promise<string | UserContent[]>;
  /** The skills and templates that a prompt can begin with. */
  commands(): Promise<PromptCommand[]>;
  /** All but the instructions. */
  context: PromptContext;
  /** Reads the instruction files: many looks at folders, for which there is time while the kernel starts. */
  readInstructions(): FoundInstructions;
  /** Folders of skills, real: the tools have to read them. */
  skillFolders: string[];
  /** Lines for stderr. */
  warnings: string[];
}

/**
 * Reads all that the user's files and options add to a prompt, with the
 * user's rights. What is seldom needed is loaded only then. Rejects with a
 * `UsageError` for what was asked for and cannot be had.
 */
export async function readContext(
  options: ContextOptions,
): Promise<ReadContext> {
  const { home, project, cwd, isTrusted } = options;
  // The project's before the user's.
  const roots = [project, home].filter((root) => root !== undefined);
  const { skills, warnings } = await findSkillsIn(roots, cwd);
  const context: PromptContext = {
    ...await optionTexts(options),
    skills: skills.filter(({ isOffered }) => isOffered)
      .map(({ name, description, location }) => ({
        name,
        description,
        location,
      })),
  };
  const sources = { skills, roots };
  return {
    prompt: await readPrompt(options, { ...sources, refusesMistyped: true }),
    expand: (prompt, attachments) =>
      readPrompt({ ...options, isPlain: false, prompt, attachments }, sources),
    commands: async () => {
      const { listCommands } = await import("./prompt_commands.ts");
      const templateFolders = roots.map((root) => `${root}/prompts`);
      return await listCommands({ skills, templateFolders });
    },
    context,
    readInstructions: () =>
      options.instructionFiles
        ? readInstructionFiles({ cwd, home, isTrusted })
        : { files: [], warnings: [] },
    skillFolders: skills.map(({ folder }) => folder),
    warnings,
  };
}

async function findSkillsIn(
  roots: readonly string[],
  cwd: string,
): Promise<{ skills: Skill[]; warnings: string[] }> {
  const folders = roots.map((root) => `${root}/skills`).filter(isFolder);
  if (folders.length === 0) return { skills: [], warnings: [] };
  const { findSkills } = await import("./find_skills.ts");
  return await findSkills(folders, { cwd });
}

async function optionTexts(
  { systemPrompt, appendSystemPrompt }: ContextOptions,
): Promise<PromptContext> {
  if (systemPrompt === undefined && appendSystemPrompt === undefined) return {};
  const { textOrFile } = await import("./text_or_file.ts");
  return {
    systemPrompt: systemPrompt === undefined
      ? undefined
      : textOrFile(systemPrompt, "--system-prompt"),
    addendum: appendSystemPrompt === undefined
      ? undefined
      : textOrFile(appendSystemPrompt, "--append-system-prompt"),
  };
}

async function readPrompt(
  { prompt, isPlain, attachments = [], homeDir }: ContextOptions,
  { roots, ...others }: {
    skills: readonly Skill[];
    roots: readonly string[];
    refusesMistyped?: boolean;
  },
): Promise<string | UserContent[]> {
  let text = prompt;
  if (prompt.startsWith("/") && !isPlain) {
    const { expandPrompt } = await import("./prompt_commands.ts");
    const templateFolders = roots.map((root) => `${root}/prompts`);
    text = expandPrompt(prompt, { ...others, templateFolders });
  }
  if (attachments.length === 0) return text;
  const { attachFiles } = await import("./attach_files.ts");
  return attachFiles(text, attachments, { cwd: Deno.cwd(), homeDir });
}

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}
