import type { CanonicalRequest } from "./recording/canonical_request.ts";
import { SECRET_MARK } from "./recording/neutral_text.ts";

/** Characters that a secret may have. */
const MAX_SECRET_LENGTH = 20_000;

/**
 * Whether a request is the recorded one when each mark of a secret stands for
 * whatever is there now: who replays may not have the secret, so that nobody
 * can tell it from other text.
 */
export function equalButSecrets(
  recorded: CanonicalRequest,
  received: CanonicalRequest,
): boolean {
  return fits(recorded.settings, received.settings) &&
    recorded.messages.length === received.messages.length &&
    recorded.messages.every((message, index) =>
      fits(message, received.messages[index] as string)
    );
}

function fits(recorded: string, received: string): boolean {
  if (recorded === received) return true;
  const [first = "", ...parts] = recorded.split(SECRET_MARK);
  const last = parts.pop();
  if (last === undefined || !received.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts) {
    const next = received.indexOf(part, at + 1);
    if (next === -1 || !isSecret(received.slice(at, next))) return false;
    at = next + part.length;
  }
  return received.endsWith(last) &&
    isSecret(received.slice(at, received.length - last.length));
}

/** A secret may have lines and quotes, but is no more than one text of the JSON. */
function isSecret(text: string): boolean {
  return text !== "" && text.length <= MAX_SECRET_LENGTH &&
    /^(?:[^"\\]|\\.)*$/.test(text);
}
