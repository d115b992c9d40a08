import { readOwn } from "./read_own.ts";
import { type RegistrableTool, snapshotTool } from "./snapshot_tool.ts";
import { ToolContractError } from "./tool_contract_error.ts";

/**
 * A set of tools, as frozen copies under unique names, in the order in which
 * they were registered. Nothing is removed: to replace a tool, build another
 * registry from a snapshot and swap the two.
 *
 * A registry of {@linkcode AgentTool}s gives the loop its tools by
 * `snapshot()`; any registry serves `executeToolCall()`.
 */
export class ToolRegistry<
  Definition extends RegistrableTool = RegistrableTool,
> implements Iterable<Readonly<Definition>> {
  readonly #tools = new Map<string, Readonly<Definition>>();
  #snapshot: readonly Readonly<Definition>[] | undefined;

  /** Registers `definitions`, as {@linkcode ToolRegistry.registerMany} does. Default none. */
  constructor(definitions: readonly Definition[] = []) {
    this.registerMany(definitions);
  }

  /**
   * Registers all of a list or, with a {@linkcode ToolContractError}, nothing.
   * Definitions are copied; see {@linkcode snapshotTool}.
   */
  registerMany(definitions: readonly Definition[]): void {
    const copies = copyAll(definitions);
    // No code of the caller's runs from here on, so what is checked stays so.
    const taken = new Set(this.#tools.keys());
    for (const { name } of copies) {
      if (taken.has(name)) {
        throw new ToolContractError(
          "DUPLICATE_TOOL_NAME",
          `There is a tool "${name}" already`,
        );
      }
      taken.add(name);
    }
    if (copies.length > 0) this.#snapshot = undefined;
    for (const copy of copies) this.#tools.set(copy.name, copy);
  }

  /** The tool of that name; undefined where there is none. */
  get(name: string): Readonly<Definition> | undefined {
    return this.#tools.get(name);
  }

  /** The tools of now, frozen: the same list until something is registered. */
  snapshot(): readonly Readonly<Definition>[] {
    return this.#snapshot ??= Object.freeze([...this.#tools.values()]);
  }

  /** Over the tools of now: what is registered meanwhile does not appear. */
  [Symbol.iterator](): Iterator<Readonly<Definition>> {
    return this.snapshot()[Symbol.iterator]();
  }
}

function copyAll<Definition extends RegistrableTool>(
  definitions: readonly Definition[],
): Readonly<Definition>[] {
  const given: Definition[] = [];
  try {
    if (!Array.isArray(definitions)) throw new TypeError("it is not an array");
    // An own property each: a hole would show what Array.prototype has there.
    for (let i = 0; i < definitions.length; i++) {
      given.push(readOwn(definitions, i) as Definition);
    }
  } catch (cause) {
    throw new ToolContractError(
      "INVALID_TOOL_DEFINITION",
      "Cannot read the list of tools",
      { cause },
    );
  }
  return given.map((definition) => snapshotTool(definition));
}
