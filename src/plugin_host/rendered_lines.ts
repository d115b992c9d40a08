/** Lines that a renderer may give, and characters of one; a screen shows fewer. */
const MAX_LINES = 500;
const MAX_LENGTH = 4096;

/**
 * The lines that a renderer has made: a list of them, one text, or a component
 * that renders itself in so many columns; also as a promise. Undefined where it
 * has made nothing. Rejects with a `TypeError` for anything else.
 */
export async function renderedLines(
  made: unknown,
  width: number,
): Promise<string[] | undefined> {
  const value = await made;
  if (value === undefined || value === null) return undefined;
  const lines = isComponent(value) ? value.render(width) : value;
  if (typeof lines === "string") return bounded(lines.split("\n", MAX_LINES));
  if (Array.isArray(lines)) return bounded(lines);
  throw new TypeError(
    "It returned neither lines nor a text: a renderer returns an array of strings",
  );
}

function bounded(lines: unknown[]): string[] {
  return lines.slice(0, MAX_LINES).map((line) =>
    String(line).slice(0, MAX_LENGTH)
  );
}

function isComponent(
  value: unknown,
): value is { render(width: number): unknown } {
  return typeof value === "object" && value !== null &&
    "render" in value && typeof value.render === "function";
}
