/**
 * The value of an own property now; undefined where there is none. A getter is
 * called, once, and what it throws is thrown. Nothing inherited is looked at.
 */
export function readOwn(source: object, key: PropertyKey): unknown {
  const property = Object.getOwnPropertyDescriptor(source, key);
  if (!property) return undefined;
  return property.get
    ? Reflect.apply(property.get, source, [])
    : property.value;
}

/** The value of an own data property; undefined for an accessor, which is not called. */
export function readOwnData(source: object, key: PropertyKey): unknown {
  return Object.getOwnPropertyDescriptor(source, key)?.value;
}

/** True for objects and arrays, not for functions. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
