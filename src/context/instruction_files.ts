import { reasonOf } from "../model/error_reason.ts";
import type { InstructionFile } from "../session/prompt_context.ts";
import { readFileHead } from "../settings/read_file_head.ts";
import { cleanText } from "./clean_text.ts";

/** Names of instruction files; the first in a folder counts. */
const NAMES = ["AGENTS.override.md", "AGENTS.md", "CLAUDE.md"];
const MAX_FILE_BYTES = 64 * 1024;
const MAX_TOTAL_BYTES = 256 * 1024;

/** Places where instructions are looked for. */
export interface InstructionOptions {
  /** The working folder, absolute and real. */
  cwd: string;
  /** `TAU_HOME`. */
  home: string | undefined;
  /** True when the user trusts the project: then its links may lead anywhere. */
  isTrusted(): boolean;
}

/** Instructions that were found, and lines for stderr about what was not taken. */
export interface FoundInstructions {
  files: InstructionFile[];
  warnings: string[];
}

/**
 * The instruction files of a run: that of `TAU_HOME`, then one of each folder
 * from the root of the file system down to the working folder.
 *
 * They are context and no code, so they need no trust. But what they say goes
 * to the model's provider, and whoever made the project chose them: a link is
 * followed only inside its repository, and in a folder that anyone can write
 * to, only files of this user count.
 */
export function readInstructionFiles(
  { cwd, home, isTrusted }: InstructionOptions,
): FoundInstructions {
  const warnings: string[] = [];
  const found: (InstructionFile & { size: number })[] = [];
  const seen = new Set<string>();
  const add = (folder: string, isVouchedFor: () => boolean) => {
    const path = firstOf(folder);
    if (path === undefined) return;
    try {
      const real = Deno.realPathSync(path);
      if (seen.has(real)) return;
      seen.add(real);
      const problem = problemWith(path, real, folder);
      if (problem !== undefined && !isVouchedFor()) throw new Error(problem);
      const head = readFileHead(real, MAX_FILE_BYTES);
      if (head) found.push({ path, ...decode(head) });
    } catch (error) {
      const why = reasonOf(error);
      warnings.push(`${JSON.stringify(path)} is left out: ${why}`);
    }
  };
  if (home !== undefined) add(home, () => true);
  for (const folder of foldersDownTo(cwd)) add(folder, isTrusted);
  return { files: withinTotal(found, warnings), warnings };
}

/** The path of a folder's instructions; a link counts also when it leads nowhere. */
function firstOf(folder: string): string | undefined {
  for (const name of NAMES) {
    const path = join(folder, name);
    try {
      Deno.lstatSync(path);
      return path;
    } catch {
      // Not there, or a folder that may not be looked into.
    }
  }
  return undefined;
}

/** Says why a file that the user has not vouched for is not taken. */
function problemWith(
  path: string,
  real: string,
  folder: string,
): string | undefined {
  if (path !== real && !isBelow(repositoryOf(folder), real)) {
    return `it is a link to ${
      JSON.stringify(real)
    }, outside its project; --trust follows it`;
  }
  const { mode } = Deno.statSync(folder);
  if (mode === null || (mode & 0o002) === 0) return undefined;
  const { uid } = Deno.statSync(real);
  return uid === Deno.uid() || uid === 0
    ? undefined
    : "another user put it into a folder that anyone can write to";
}

/** The nearest folder upward that git works in; the folder itself where there is none. */
function repositoryOf(folder: string): string {
  for (const above of foldersDownTo(folder).reverse()) {
    try {
      Deno.lstatSync(join(above, ".git"));
      return above;
    } catch {
      // Further up, then.
    }
  }
  return folder;
}

function decode(
  { bytes, size }: { bytes: Uint8Array; size: number },
): { text: string; size: number } {
  // As a stream, so that a character which the limit cuts is left out.
  const isCut = size > bytes.length;
  const text = cleanText(new TextDecoder().decode(bytes, { stream: isCut }));
  return {
    text: isCut
      ? `${text}\n[Cut here: the file has ${size} bytes, of which these are the first ${bytes.length}]`
      : text,
    size: bytes.length,
  };
}

/** The nearest files are the most specific: those furthest up give way. */
function withinTotal(
  found: (InstructionFile & { size: number })[],
  warnings: string[],
): InstructionFile[] {
  let total = 0;
  const kept = found.reverse().filter(({ path, size }) => {
    total += size;
    if (total <= MAX_TOTAL_BYTES) return true;
    warnings.push(
      `${
        JSON.stringify(path)
      } is left out: all instruction files together may have 256 KiB`,
    );
    return false;
  });
  return kept.reverse()
    .filter(({ text }) => text !== "")
    .map(({ path, text }) => ({ path, text }));
}

/** `/`, `/a`, `/a/b` for `/a/b`. */
function foldersDownTo(folder: string): string[] {
  const parts = folder.split(/[/\\]/).filter((part) => part !== "");
  const isUnix = folder.startsWith("/");
  const folders = parts.map((_, i) =>
    (isUnix ? "/" : "") + parts.slice(0, i + 1).join("/")
  );
  return isUnix ? ["/", ...folders] : folders;
}

function isBelow(folder: string, path: string): boolean {
  return path.startsWith(join(folder, ""));
}

function join(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}
