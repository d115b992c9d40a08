// Parts of the checks in `checks.ts`, which are written from the schemas.

/** True for a value that fits. */
export type Check = (value: unknown) => boolean;

/** A text of any length. */
export const isText = text();
/** True or false. */
export const isFlag = is(true, false);
/** A finite number. */
export const isNumber: Check = Number.isFinite;
/** A safe integer from 0 on. */
export const isCount = integer(0);
/** Anything but an absent member. */
export function isPresent(value: unknown): boolean {
  return value !== undefined;
}

/** An object, not a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text of so many UTF-16 units at most. */
export function text(maxLength = Infinity): Check {
  return (value) => typeof value === "string" && value.length <= maxLength;
}

/** A safe integer within bounds. */
export function integer(minimum: number, maximum = Infinity): Check {
  return (value) =>
    Number.isSafeInteger(value) && isBetween(value, minimum, maximum);
}

/** A finite number within bounds. */
export function number(minimum: number, maximum = Infinity): Check {
  return (value) => isNumber(value) && isBetween(value, minimum, maximum);
}

function isBetween(value: unknown, minimum: number, maximum: number): boolean {
  return (value as number) >= minimum && (value as number) <= maximum;
}

/** One of some values. */
export function is(...values: readonly unknown[]): Check {
  return (value) => values.includes(value);
}

/** An absent member, or one that fits. */
export function maybe(check: Check): Check {
  return (value) => value === undefined || check(value);
}

/** A list of items that fit. */
export function list(isItem: Check, maxItems = Infinity): Check {
  return (value) =>
    Array.isArray(value) && value.length <= maxItems && value.every(isItem);
}

/** An object whose members all fit, whatever their names. */
export function record(isMember: Check): Check {
  return (value) => isObject(value) && Object.values(value).every(isMember);
}

/** An object with members that fit, and maybe others. */
export function fields(members: Record<string, Check>): Check {
  const checks = Object.entries(members);
  return (value) =>
    isObject(value) && checks.every(([name, check]) => check(value[name]));
}

/** Fields, and nothing else. */
export function only(members: Record<string, Check>): Check {
  const fit = fields(members);
  return (value) =>
    fit(value) &&
    Object.keys(value as object).every((name) => Object.hasOwn(members, name));
}

/** An answer to a question, without type and kind. */
export function answer(value: Check): Check {
  return only({ askId: isCount, value });
}

/** A value that passes one of some checks. */
export function anyOf(...checks: readonly Check[]): Check {
  return (value) => checks.some((check) => check(value));
}

/** The check for the word that a member holds, of the other members. */
export function by(
  member: string,
  checks: Readonly<Record<string, Check>>,
): Check {
  return (value) => {
    if (!isObject(value)) return false;
    const { [member]: word, ...others } = value;
    return typeof word === "string" && Object.hasOwn(checks, word) &&
      checks[word]?.(others) === true;
  };
}
