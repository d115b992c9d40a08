/**
 * What stands for arguments in a template: `$1`, `$@` and `$ARGUMENTS` for all,
 * `${1:-otherwise}`, `${@:2}` for all from the second on, `${@:2:3}` for three
 * of those.
 */
const PLACEHOLDER =
  /\$(?:(\d{1,3})|@|ARGUMENTS\b|\{(\d{1,3}):-([^{}]*)\}|\{@:(\d{1,3})(?::(\d{1,3}))?\})/g;

/**
 * A template with its arguments in place. Arguments are not searched for
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

/** Words between spaces. A quote at the start of one holds spaces together, up to the same quote; `\"` inside is a quote. */
export function splitArguments(given: string): string[] {
  const words: string[] = [];
  const word = /\s*(?:"((?:\\["\\]|[^"])*)"|'([^']*)'|(\S+))/gy;
  for (const [, double, single, plain = ""] of given.matchAll(word)) {
    words.push(double?.replace(/\\(["\\])/g, "$1") ?? single ?? plain);
  }
  return words;
}
