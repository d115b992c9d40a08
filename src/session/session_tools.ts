import type { AgentTool } from "../agent/agent_tool.ts";
import { snapshotTool } from "../agent/strict/snapshot_tool.ts";
import { ToolRegistry } from "../agent/strict/tool_registry.ts";

/** Names of tools that were added to the active ones, and removed. */
export interface ToolChange {
  added: string[];
  removed: string[];
}

/**
 * The tools of a session, of which the model is told of the active ones. What
 * changes takes effect with the next request.
 */
export class SessionTools {
  #registry: ToolRegistry<AgentTool>;
  readonly #isAllowed: (name: string) => boolean;
  #active: Set<string>;
  #snapshot: readonly Readonly<AgentTool>[] | undefined;

  /** Throws a `ToolContractError` for tools that a registry does not take. */
  constructor(
    tools: readonly AgentTool[],
    { active = tools.map(({ name }) => name), isAllowed = () => true }: {
      /** Names, in the order in which they are declared. Default: all. */
      active?: readonly string[] | undefined;
      /** Which tools may be active at all. Default: every one. */
      isAllowed?: ((name: string) => boolean) | undefined;
    } = {},
  ) {
    this.#isAllowed = isAllowed;
    this.#registry = registryOf(tools);
    this.#active = new Set(
      active.filter((name) => this.#registry.get(name) && isAllowed(name)),
    );
  }

  /** Adds all of these tools, active where they are allowed, or, with a `ToolContractError`, none. */
  add(tools: readonly AgentTool[]): void {
    this.#registry.registerMany(tools);
    for (const { name } of tools) {
      if (this.#isAllowed(name)) this.#active.add(name);
    }
    this.#snapshot = undefined;
  }

  /** Takes these tools in the place of all others: those that were active stay so, new ones become active. */
  replace(tools: readonly AgentTool[]): void {
    const before = this.#registry;
    this.#registry = registryOf(tools);
    const active = new Set<string>();
    for (const name of this.#active) {
      if (this.#registry.get(name)) active.add(name);
    }
    for (const { name } of tools) {
      if (!before.get(name) && this.#isAllowed(name)) active.add(name);
    }
    this.#active = active;
    this.#snapshot = undefined;
  }

  /** Has these tools active and no others, in this order. Unknown names, and those that are not allowed, are ignored. */
  setActive(names: readonly string[]): void {
    this.#active = new Set(
      names.filter((name) => this.#registry.get(name) && this.#isAllowed(name)),
    );
    this.#snapshot = undefined;
  }

  /** Names of the active tools, in the order in which they are declared. */
  get activeNames(): string[] {
    return [...this.#active];
  }

  /** All tools that could be active. */
  get all(): readonly Readonly<AgentTool>[] {
    return this.#registry.snapshot().filter(({ name }) =>
      this.#isAllowed(name)
    );
  }

  /** The active tools of now, frozen: the same list until something changes. */
  snapshot(): readonly Readonly<AgentTool>[] {
    return this.#snapshot ??= Object.freeze(
      [...this.#active].map((name) => this.#registry.get(name))
        .filter((tool) => tool !== undefined),
    );
  }

  /** Compares the active tools with earlier ones. */
  changeSince(before: readonly string[]): ToolChange {
    const known = new Set(before);
    return {
      added: [...this.#active].filter((name) => !known.has(name)),
      removed: before.filter((name) => !this.#active.has(name)),
    };
  }
}

function registryOf(tools: readonly AgentTool[]): ToolRegistry<AgentTool> {
  const registry = new ToolRegistry<AgentTool>();
  registry.registerMany(tools.map((tool) => snapshotTool(tool)));
  return registry;
}
