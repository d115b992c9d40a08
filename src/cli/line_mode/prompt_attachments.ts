const MENTION = /(?:^|\s)@(?:"([^"\n]+)"|(\S+))/g;
const PUNCTUATION = /[.,;:!?)\]}'"]+$/;
const MAX_ATTACHMENTS = 20;

/** The files that a prompt mentions as `@path` or `@"a path"` and that are there; an address or a handle is none. */
export function attachmentsIn(prompt: string): string[] {
  const paths = Array.from(
    prompt.matchAll(MENTION),
    ([, quoted, plain = ""]) =>
      [quoted ?? plain, plain.replace(PUNCTUATION, "")].find(isFile) ?? [],
  ).flat();
  return [...new Set(paths)].slice(0, MAX_ATTACHMENTS);
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
