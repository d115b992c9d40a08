/** Key under which every copy of this module finds the one set of genuine errors. */
const BRAND = Symbol.for("tau.NonRecoverableToolError");

const genuine = sharedSet();

/**
 * A tool failed in a way that the run cannot go on from. Thrown by a tool's
 * `execute`, it ends the run as a failed one once every open call has its
 * result; any other error becomes a result that the model reads.
 *
 * {@linkcode isNonRecoverableToolError} recognises it by a brand that is
 * shared in the realm, so that a reloaded module and subclasses count, while
 * an object with copied fields or prototype does not. That guards against
 * accidents; it is no security boundary within one realm.
 */
export class NonRecoverableToolError extends Error {
  /** Always `NonRecoverableToolError`; {@linkcode isNonRecoverableToolError} is what tells one. */
  override name = "NonRecoverableToolError";

  /** `message` is read by the model and, at the end of the run, by the user. */
  constructor(message?: string, options?: ErrorOptions) {
    super(message, options);
    genuine.add(this);
  }
}

/** True for a genuine {@linkcode NonRecoverableToolError}, from whatever copy of the module. */
export function isNonRecoverableToolError(
  error: unknown,
): error is NonRecoverableToolError {
  return genuine.has(error as object);
}

function sharedSet(): WeakSet<object> {
  const realm = globalThis as { [BRAND]?: WeakSet<object> };
  if (!realm[BRAND]) {
    Object.defineProperty(realm, BRAND, { value: new WeakSet() });
  }
  return realm[BRAND] as WeakSet<object>;
}
