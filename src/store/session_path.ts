import type { SessionHeader } from "../session/session_entry.ts";

/** Bytes of a folder's name; file systems take 255. */
const MAX_SLUG_BYTES = 200;

/** The folder of all sessions, in the folder of the user's own files. */
export function sessionsFolder(tauHome: string): string {
  return `${tauHome}/sessions`;
}

/** Returns the file for a new session: a folder for its working folder, a name that sorts by time. */
export function newSessionPath(
  { cwd, timestamp, id }: SessionHeader,
  folder: string,
): string {
  const time = timestamp.replaceAll(/[:.]/g, "-");
  return `${folderOf(cwd, folder)}/${time}_${id}.jsonl`;
}

/** The folder for the sessions of a working folder. Two of them can share one: the headers tell. */
export function folderOf(cwd: string, folder: string): string {
  // deno-lint-ignore no-control-regex
  const slug = cwd.replace(/^[/\\]/, "").replaceAll(/[/\\:\0-\x1f]/g, "-");
  const bytes = new TextEncoder().encode(slug).slice(-MAX_SLUG_BYTES);
  // A cut may leave half of a character.
  const end = new TextDecoder().decode(bytes).replace(/^\ufffd+/, "");
  return `${folder}/--${end}--`;
}

/** The folder of the full outputs that a session names; none for an id that is not one of ours. */
export function outputsFolder(tauHome: string, id: string): string | undefined {
  return ID.test(id) ? `${tauHome}/tmp/${id}` : undefined;
}

const ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** The id in the name of a session's file. */
export function idInName(name: string): string | undefined {
  return /_([0-9a-f]{8}-[0-9a-f-]{27})\.jsonl$/.exec(name)?.[1];
}
