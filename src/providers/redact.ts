/** Shorter ones are placeholders of local servers, and parts of ordinary words. */
const MIN_SECRET = 8;

/** Makes a function that hides secrets in a text. */
export function redactor(secrets: string[]): (text: string) => string {
  const hidden = secrets.filter((secret) => secret.length >= MIN_SECRET)
    // The longest first, so that no secret is cut by a part of itself.
    .toSorted((a, b) => b.length - a.length);
  return (text) =>
    hidden.reduce((shown, secret) => shown.replaceAll(secret, "***"), text);
}
