/** Faults of definitions and calls that a host handed in. */
export type ToolContractErrorCode =
  | "INVALID_TOOL_DEFINITION"
  | "DUPLICATE_TOOL_NAME"
  | "INVALID_TOOL_CALL";

/** Errors that were made here; copied fields or a copied prototype make none. */
const genuine = new WeakSet<object>();

/**
 * A host broke the contract of the tool registry: a definition or a call is
 * malformed, or a name is taken. For developers. One that a tool throws is an
 * ordinary failure of that tool.
 *
 * {@linkcode isToolContractError} tells genuine ones from look-alikes. That
 * guards against accidents; it is no security boundary within one realm.
 */
export class ToolContractError extends Error {
  /** Always `ToolContractError`; {@linkcode isToolContractError} is what tells one. */
  override name = "ToolContractError";
  /** The code to branch on. */
  readonly code: ToolContractErrorCode;

  /** `message` is for developers; `options.cause` is what the definition or the call threw when it was read. */
  constructor(
    code: ToolContractErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.code = code;
    genuine.add(this);
  }
}

/** True for errors that this module's class constructed, subclasses included. */
export function isToolContractError(
  error: unknown,
): error is ToolContractError {
  return genuine.has(error as object);
}
