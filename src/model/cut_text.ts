/** The start of a text and how much was left out; the text itself when it is short enough. */
export function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  // Half a surrogate pair would not survive the way to a provider.
  const end = (text.codePointAt(maxCharacters - 1) ?? 0) > 0xffff
    ? maxCharacters - 1
    : maxCharacters;
  return `${text.slice(0, end)}\n… ${text.length - end} more characters`;
}
