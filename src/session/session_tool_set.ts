import type { AgentTool } from "../agent/agent_tool.ts";
import { READING_TOOLS } from "../policy/built_in_tools.ts";
import { SessionTools } from "./session_tools.ts";
import type { ServedTool } from "./tool_server.ts";

/** Parts of the tools of a session. */
export interface SessionToolSetOptions {
  builtIn: readonly ServedTool[];
  /** Those that stand before built-in ones of the same name, as they are now. */
  served(): readonly ServedTool[];
  /** Tools that are active at first. */
  active: readonly string[];
  /** The only tools that may be active; absent where the user has not chosen any. */
  allowed?: readonly string[] | undefined;
  /** Tools that are never active. Default none. */
  excluded?: readonly string[] | undefined;
}

/** The tools of a session: built-in ones, and those of plugins, which add some, take the place of some, and choose which are active. */
export class SessionToolSet {
  readonly #options: SessionToolSetOptions;
  readonly tools: SessionTools;

  constructor(options: SessionToolSetOptions) {
    this.#options = options;
    const { active, allowed, excluded = [], builtIn } = options;
    const own = new Set(builtIn.map(({ tool }) => tool.name));
    // Plugins may activate what only reads, though the run began without it.
    const startable = new Set([...active, ...READING_TOOLS]);
    const served = options.served().map(({ tool }) => tool.name);
    this.tools = new SessionTools(this.#all(), {
      active: [...new Set([...active, ...allowed ? [] : served])],
      isAllowed: (name) =>
        !excluded.includes(name) &&
        (allowed
          ? allowed.includes(name)
          : !own.has(name) || startable.has(name) ||
            options.served().some(({ tool }) => tool.name === name)),
    });
  }

  /** All tools that there are. */
  get all(): readonly AgentTool[] {
    return this.#all();
  }

  /** The active tools, in the order in which they are declared. */
  readonly active = (): ServedTool[] =>
    this.tools.activeNames.map((name) => this.#find(name))
      .filter((tool) => tool !== undefined);

  /** The served tools are others than before. */
  refresh(): void {
    this.tools.replace(this.#all());
  }

  #find(name: string): ServedTool | undefined {
    const isIt = ({ tool }: ServedTool) => tool.name === name;
    return this.#options.served().find(isIt) ??
      this.#options.builtIn.find(isIt);
  }

  #all(): AgentTool[] {
    const { builtIn, served } = this.#options;
    const given = served();
    const taken = new Set(given.map(({ tool }) => tool.name));
    return [
      ...builtIn.filter(({ tool }) => !taken.has(tool.name))
        .map(({ tool }) => tool),
      ...given.map(({ tool }) => this.#watched(tool)),
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
