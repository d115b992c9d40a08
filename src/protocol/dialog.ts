/** A question to the user. */
export type Dialog =
  | { kind: "confirm"; title: string; message: string }
  | { kind: "select"; title: string; options: string[] }
  | { kind: "input"; title: string; placeholder?: string }
  | { kind: "editor"; title: string; prefill?: string };

/** What the user answered: true or false to `confirm`, a text to the others; undefined when the question was dismissed. */
export type DialogAnswer = string | boolean | undefined;

const MAX_TEXT = 64 * 1024;
const MAX_OPTIONS = 1000;

/** The question that a kernel asked, or undefined when it is none. */
export function parseDialog(value: unknown): Dialog | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { kind, title, message, options, placeholder, prefill } =
    value as Record<string, unknown>;
  if (!isText(title)) return undefined;
  switch (kind) {
    case "confirm":
      return isText(message) ? { kind, title, message } : undefined;
    case "select":
      return Array.isArray(options) && options.length <= MAX_OPTIONS &&
          options.every(isText)
        ? { kind, title, options }
        : undefined;
    case "input":
      return placeholder === undefined
        ? { kind, title }
        : isText(placeholder)
        ? { kind, title, placeholder }
        : undefined;
    case "editor":
      return prefill === undefined
        ? { kind, title }
        : isText(prefill)
        ? { kind, title, prefill }
        : undefined;
  }
  return undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_TEXT;
}
