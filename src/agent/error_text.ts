/** The text of a thrown value, whatever it is; never empty, since a provider refuses an empty text. */
export function errorText(error: unknown): string {
  try {
    const text = error instanceof Error
      ? error.message || error.name
      : String(error);
    return `${text}` || "Unknown error";
  } catch {
    // An object without a prototype, or one whose getter throws.
    return "Unknown error";
  }
}
