/** The members of an object that are not undefined, in their order. */
export function withoutUndefined<const Value extends object>(
  value: Value,
): WithoutUndefined<Value> {
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined),
  ) as WithoutUndefined<Value>;
}

/** An object whose members may be absent where they might be undefined. */
export type WithoutUndefined<Value> =
  & { [Key in Exclude<keyof Value, Absent<Value>>]: Value[Key] }
  & { [Key in Absent<Value>]?: Exclude<Value[Key], undefined> };

/** Names of the members that might be undefined. */
type Absent<Value> = {
  [Key in keyof Value]-?: unknown extends Value[Key] ? never
    : undefined extends Value[Key] ? Key
    : never;
}[keyof Value];
