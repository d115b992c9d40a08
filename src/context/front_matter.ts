/** A text with a head of YAML between two lines of dashes. */
export interface FrontMatter {
  /** Absent without such a head. */
  yaml?: string;
  body: string;
}

const HEAD = /^---[ \t]*\n([^]*?)(?:^|\n)---[ \t]*(?:\n|$)/;

/** Takes head and body of a text apart. */
export function splitFrontMatter(source: string): FrontMatter {
  const text = source.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  const head = HEAD.exec(text);
  return head
    ? { yaml: head[1] ?? "", body: text.slice(head[0].length).trim() }
    : { body: text.trim() };
}

/** The fields of a head whose values are plain text; a number or `true` is text too. Rejects with a reason for what is no YAML. */
export async function parseFields(
  yaml: string | undefined,
): Promise<Map<string, string>> {
  if (!yaml?.trim()) return new Map();
  // Loaded only where there is a head to read: it takes milliseconds.
  const { FAILSAFE_SCHEMA, load } = await import("js-yaml");
  const value = load(yaml, {
    schema: FAILSAFE_SCHEMA,
    maxDepth: 8,
    maxAliases: 0,
  });
  const fields = new Map<string, string>();
  if (typeof value !== "object" || value === null) return fields;
  for (const [name, field] of Object.entries(value)) {
    if (typeof field === "string") fields.set(name, field);
  }
  return fields;
}
