/**
 * Text as people see it in an editor: line breaks of one kind, no control
 * characters, and none that hide or reorder text (direction overrides, tags),
 * which would tell a model what nobody reads who looks at the file.
 */
export function cleanText(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(
      /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu,
      "",
    )
    .trim();
}
