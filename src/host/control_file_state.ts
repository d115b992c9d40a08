import { within } from "./within.ts";

const MAX_BYTES = 64 * 1024;
const MAX_DIFF = 4000;
/** Edits of lines that a diff may take. */
const MAX_EDITS = 2000;
const MAX_WAIT_MS = 1000;

/** A control file as it was found. */
export interface ControlFileState {
  /** Tells whether it has to be read again. */
  stamp: string;
  /** Permissions, of which one says whether it is a program. */
  mode: number | null;
  /** Text of the file, or target of the link; absent where the file is too large, or nobody may read it. */
  text?: string;
  /** When it was last touched in any way. */
  ctimeMs: number;
}

/** Returns the state of a control file; undefined when it is not there. The state before saves reading it again. */
export async function stateOf(
  path: string,
  before: ControlFileState | undefined,
): Promise<ControlFileState | undefined> {
  let info: Deno.FileInfo;
  try {
    info = Deno.lstatSync(path);
  } catch {
    return undefined;
  }
  const { ino, size, mode, mtime, ctime } = info;
  const times = [mtime, ctime].map((time) => time?.getTime());
  const stamp = [ino, size, mode, ...times].join(" ");
  if (before?.stamp === stamp) return before;
  const text = await textAt(path, info);
  return {
    stamp,
    mode,
    ctimeMs: ctime?.getTime() ?? 0,
    ...(text === undefined ? {} : { text }),
  };
}

/** True for two states of a file that mean the same. */
export function isSameState(
  a: ControlFileState | undefined,
  b: ControlFileState | undefined,
): boolean {
  if (!a || !b || a.stamp === b.stamp) return a?.stamp === b?.stamp;
  return a.text !== undefined && a.text === b.text && a.mode === b.mode;
}

/** Returns the difference of two states as a patch that may be cut short; undefined where a file is not text. */
export async function diffOf(
  path: string,
  before: ControlFileState | undefined,
  after: ControlFileState | undefined,
): Promise<string | undefined> {
  const [oldText, newText] = [before, after].map((state) =>
    state ? state.text : ""
  );
  const modes = before && after && before.mode !== after.mode
    ? `old mode ${octal(before)}\nnew mode ${octal(after)}\n`
    : "";
  if (oldText === undefined || newText === undefined) return modes || undefined;
  if (oldText === newText) return modes || undefined;
  if (`${oldText}${newText}`.includes("\0")) return modes || undefined;
  const { createTwoFilesPatch } = await import("diff");
  const patch = createTwoFilesPatch(path, path, oldText, newText, "", "", {
    context: 3,
    maxEditLength: MAX_EDITS,
  });
  const diff = modes + (patch ?? "").replace(/^Index: .*\n=+\n/, "");
  return diff.length > MAX_DIFF ? `${diff.slice(0, MAX_DIFF)}…\n` : diff;
}

/** In the background and not for long: somebody could put a pipe in the file's place. */
async function textAt(
  path: string,
  info: Deno.FileInfo,
): Promise<string | undefined> {
  if (info.isSymlink) {
    try {
      return `link to ${Deno.readLinkSync(path)}`;
    } catch {
      return undefined;
    }
  }
  if (!info.isFile || info.size > MAX_BYTES) return undefined;
  let text: string | undefined;
  await within(
    MAX_WAIT_MS,
    readText(path).then((read) => text = read, () => {}),
  );
  return text;
}

async function readText(path: string): Promise<string | undefined> {
  using file = await Deno.open(path);
  const opened = await file.stat();
  if (!opened.isFile || !leadsTo(path, opened)) return undefined;
  const bytes = new Uint8Array(MAX_BYTES);
  let at = 0;
  while (at < bytes.length) {
    const count = await file.read(bytes.subarray(at));
    if (count === null) break;
    at += count;
  }
  return new TextDecoder().decode(bytes.subarray(0, at));
}

/** True for a path that leads to the opened file by no link: behind one may be a secret, which a diff would tell. */
function leadsTo(path: string, { dev, ino }: Deno.FileInfo): boolean {
  const now = Deno.lstatSync(path);
  return Deno.realPathSync(path) === path && now.dev === dev && now.ino === ino;
}

function octal({ mode }: ControlFileState): string {
  return (mode ?? 0).toString(8);
}
