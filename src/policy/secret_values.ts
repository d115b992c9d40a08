/** Variables whose names say that they hold a credential. */
const SECRET_NAME =
  /KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|AUTH(?!OR)|COOKIE/i;
/** What is shorter stands in too many texts that have nothing to do with it. */
const MIN_LENGTH = 6;

/**
 * The values of an environment that must not be written anywhere: of variables
 * that are named like credentials, and of `names`. Values of less than six
 * characters are left out.
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
  }
  return [...secrets];
}
