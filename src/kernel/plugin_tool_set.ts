import type { AgentTool } from "../agent/agent_tool.ts";
import type { AnyToolDefinition } from "../sdk/tool_definition.ts";
import { READING_TOOLS } from "../policy/built_in_tools.ts";
import { SessionTools } from "../session/session_tools.ts";

/** Parts of the tools of a session with plugins. */
export interface PluginToolSetOptions {
  builtIn: readonly AnyToolDefinition[];
  /** Those of the plugins as they are now. */
  plugins(): readonly AnyToolDefinition[];
  /** Built-in tools that are active at first, and those of plugins that were named. */
  names: readonly string[];
  /** The only tools that may be active; absent where the user has not chosen any. */
  allowed: readonly string[] | undefined;
  /** Tools that are never active. Default none. */
  excluded?: readonly string[] | undefined;
  wrap(definition: AnyToolDefinition): AgentTool;
}

/** The tools of a session whose plugins add some, take the place of some, and choose which are active. */
export class PluginToolSet {
  readonly #options: PluginToolSetOptions;
  readonly tools: SessionTools;

  constructor(options: PluginToolSetOptions) {
    this.#options = options;
    const { names, allowed, excluded = [], builtIn } = options;
    const own = new Set(builtIn.map(({ name }) => name));
    // Plugins may activate what only reads, though the run began without it.
    const startable = new Set([...names, ...READING_TOOLS]);
    const plugins = options.plugins().map(({ name }) => name);
    this.tools = new SessionTools(this.#wrapped(), {
      active: new Set([...names, ...allowed ? [] : plugins]).values().toArray(),
      isAllowed: (name) =>
        !excluded.includes(name) &&
        (allowed
          ? allowed.includes(name)
          : !own.has(name) || startable.has(name) ||
            this.#isOverridden(name)),
    });
  }

  /** The definition that a name stands for. */
  readonly find = (name: string): AnyToolDefinition | undefined =>
    this.#options.plugins().find((tool) => tool.name === name) ??
      this.#options.builtIn.find((tool) => tool.name === name);

  /** The definitions of the active tools. */
  readonly active = (): AnyToolDefinition[] =>
    this.tools.activeNames.map(this.find)
      .filter((tool) => tool !== undefined);

  /** The plugins' tools are others than before. */
  refresh(): void {
    this.tools.replace(this.#wrapped());
  }

  #isOverridden(name: string): boolean {
    return this.#options.plugins().some((tool) => tool.name === name);
  }

  #wrapped(): AgentTool[] {
    const { builtIn, plugins, wrap } = this.#options;
    const given = plugins();
    const taken = new Set(given.map(({ name }) => name));
    const own: AgentTool[] = [];
    for (const definition of builtIn) {
      if (taken.has(definition.name)) continue;
      taken.add(definition.name);
      own.push(wrap(definition));
    }
    return [
      ...own,
      ...given.map((definition) => this.#watched(wrap(definition))),
    ];
  }

  /** A call that only added tools says so in its result. */
  #watched(tool: AgentTool): AgentTool {
    return {
      ...tool,
      execute: async (...call) => {
        const before = this.tools.activeNames;
        const result = await tool.execute(...call);
        const { added, removed } = this.tools.changeSince(before);
        return added.length > 0 && removed.length === 0 &&
            result.addedToolNames === undefined
          ? { ...result, addedToolNames: added }
          : result;
      },
    };
  }
}
