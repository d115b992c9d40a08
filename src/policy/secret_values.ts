/** Variables whose names say that they hold a credential. */
const SECRET_NAME =
  /KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|AUTH(?!OR)|COOKIE/i;
/** Shorter values stand in too many texts that have nothing to do with them. */
const MIN_LENGTH = 6;

/** JSON within JSON is looked into as far as that. */
const MAX_DEPTH = 5;

/**
 * The values of an environment that must not be written anywhere: of variables
 * that are named like credentials, and of `names`; of those that hold JSON also
 * its members that are named so. Values of less than six characters are left
 * out.
 */
export function secretValues(
  env: Record<string, string>,
  names: readonly string[] = [],
): string[] {
  const secrets = new Set<string>();
  for (const [name, value] of Object.entries(env)) {
    if (!SECRET_NAME.test(name) && !names.includes(name)) continue;
    // A key of several lines is printed line by line, too.
    for (const part of [value, ...value.split(/\r?\n/)]) {
      const secret = part.trim();
      if (secret.length >= MIN_LENGTH) secrets.add(secret);
    }
    for (const member of membersOf(value)) secrets.add(member);
  }
  return [...secrets];
}

/**
 * A secret as texts may have it: as it is, in JSON, in a URL, and in base64,
 * there also with something before and behind it.
 */
export function secretForms(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const url = encodeURIComponent(secret.toWellFormed());
  return [
    ...new Set([
      ...[secret, json, JSON.stringify(json).slice(1, -1)],
      ...[url, url.replaceAll("%2F", "/")],
      ...[0, 1, 2].flatMap((before) => inBase64(secret, before)),
    ]),
  ];
}

/** The part of base64 that does not depend on the bytes around, where so many bytes, modulo 3, stand before the secret. */
function inBase64(secret: string, before: number): string[] {
  const bytes = new TextEncoder().encode("\0".repeat(before) + secret);
  const text = bytes.toBase64().slice(
    Math.ceil(before * 8 / 6),
    Math.floor(bytes.length * 8 / 6),
  );
  return [text, text.replaceAll("+", "-").replaceAll("/", "_")];
}

/** Texts in JSON that are named like credentials. */
function membersOf(json: string): string[] {
  if (!/^\s*[{[]/.test(json)) return [];
  try {
    return namedSecrets(JSON.parse(json), MAX_DEPTH);
  } catch {
    // It only looks like JSON.
    return [];
  }
}

function namedSecrets(value: unknown, depth: number): string[] {
  if (typeof value !== "object" || value === null || depth === 0) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member !== "string"
      ? namedSecrets(member, depth - 1)
      : SECRET_NAME.test(name) && member.trim().length >= MIN_LENGTH
      ? [member.trim()]
      : []
  );
}
