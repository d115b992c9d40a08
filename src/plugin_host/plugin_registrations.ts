import { nearestKey } from "../model/nearest_key.ts";
import type { PluginCommand, PluginFlag } from "../sdk/plugin_api.ts";
import type { PluginEventName } from "../sdk/plugin_events.ts";
import {
  type ReadTool,
  readToolDefinition,
  ToolRefusedError,
} from "./read_tool_definition.ts";

/** A handler of any event. */
export type AnyHandler = (event: unknown, ctx: unknown) => unknown;

/** A tool of a plugin, and whether it may stand in the place of a built-in one. */
export interface RegisteredTool extends ReadTool {
  isOverride: boolean;
}

/** Bounds for one plugin; more is a mistake. */
const MAX_TOOLS = 256;
const MAX_HANDLERS = 1000;
const MAX_COMMANDS = 256;
const MAX_FLAGS = 256;
/** Warnings of one plugin; each is a line for the user. */
const MAX_WARNINGS = 50;
/** Members of one definition; more are not looked at. */
const MAX_MEMBERS = 100;
const COMMAND_MEMBERS = ["description", "handler"];
const FLAG_MEMBERS = ["type", "default", "description"];
const TOOL_MEMBERS = [
  ...["name", "label", "description", "parameters", "constrainedSampling"],
  ...["promptSnippet", "promptGuidelines", "executionMode", "renderShell"],
  ...["prepareArguments", "execute", "renderCall", "renderResult"],
];
const COMMAND_NAME = /^[A-Za-z0-9][A-Za-z0-9_:-]{0,63}$/;

const EVENTS: Record<PluginEventName, true> = {
  session_start: true,
  session_shutdown: true,
  input: true,
  before_agent_start: true,
  agent_start: true,
  agent_end: true,
  agent_settled: true,
  turn_start: true,
  turn_end: true,
  message_start: true,
  message_update: true,
  message_end: true,
  tool_execution_start: true,
  tool_execution_update: true,
  tool_execution_end: true,
  tool_call: true,
  tool_result: true,
  context: true,
  before_provider_request: true,
  before_provider_headers: true,
  after_provider_response: true,
  model_select: true,
  thinking_level_select: true,
  session_before_compact: true,
  session_compact: true,
  session_compact_failed: true,
  user_bash: true,
  ui_prompt_start: true,
  ui_prompt_end: true,
};

/** Registrations of one plugin. Thrown away when its function fails. */
export class PluginRegistrations {
  readonly tools: RegisteredTool[] = [];
  readonly commands = new Map<string, PluginCommand>();
  readonly flags = new Map<string, PluginFlag>();
  readonly handlers = new Map<PluginEventName, AnyHandler[]>();
  /** Lines about what was left out. */
  readonly warnings: string[] = [];
  #handlerCount = 0;

  /** The tool as it was read; undefined when it is left out, with a warning. */
  addTool(value: unknown, isOverride: boolean): RegisteredTool | undefined {
    try {
      const tool = { ...readToolDefinition(value), isOverride };
      const { name } = tool.definition;
      if (this.tools.some((other) => other.definition.name === name)) {
        throw new ToolRefusedError(
          `The tool "${name}" is left out: this plugin has registered one of that name`,
        );
      }
      if (this.tools.length >= MAX_TOOLS) {
        throw new ToolRefusedError(
          `The tool "${name}" is left out: a plugin may have ${MAX_TOOLS} tools`,
        );
      }
      this.tools.push(tool);
      this.#warnOfUnknown(`The tool "${name}"`, value, TOOL_MEMBERS);
      return tool;
    } catch (error) {
      if (!(error instanceof ToolRefusedError)) throw error;
      this.#warn(error.message);
      return undefined;
    }
  }

  #warn(warning: string): void {
    const left = MAX_WARNINGS - this.warnings.length;
    if (left > 0) {
      this.warnings.push(
        left > 1 ? warning : `${warning}; further warnings are left out`,
      );
    }
  }

  /** A member that is not looked at, and whose name is almost that of one that is. */
  #warnOfUnknown(
    what: string,
    given: unknown,
    known: readonly string[],
  ): void {
    for (const key of Object.keys(given ?? {}).slice(0, MAX_MEMBERS)) {
      const near = known.includes(key) ? undefined : nearestKey(key, known);
      if (near === undefined) continue;
      this.#warn(
        `${what} has "${key}", which means nothing; did you mean "${near}"`,
      );
    }
  }

  /** Throws for what is no command. */
  addCommand(name: unknown, command: unknown): void {
    if (typeof name !== "string" || !COMMAND_NAME.test(name)) {
      throw new TypeError(
        `registerCommand needs a name of letters, digits, _, : and -, got ${
          JSON.stringify(name)
        }`,
      );
    }
    const { handler, description } = (command ?? {}) as Partial<PluginCommand>;
    if (typeof handler !== "function") {
      throw new TypeError(`The command "${name}" needs a function as handler`);
    }
    assertRoom(this.commands, name, { most: MAX_COMMANDS, what: "commands" });
    this.#warnOfUnknown(`The command "${name}"`, command, COMMAND_MEMBERS);
    this.commands.set(name, {
      ...(typeof description === "string" ? { description } : {}),
      handler: (args, ctx) => Reflect.apply(handler, command, [args, ctx]),
    });
  }

  /** Throws for what is no flag. */
  addFlag(name: unknown, flag: unknown): void {
    if (typeof name !== "string" || !COMMAND_NAME.test(name)) {
      throw new TypeError(
        `registerFlag needs a name of letters, digits, _ and -, got ${
          JSON.stringify(name)
        }`,
      );
    }
    const { type, default: value, description } = (flag ?? {}) as Partial<
      PluginFlag
    >;
    const isRight = (type === "boolean" || type === "string") &&
      (value === undefined || typeof value === type);
    if (!isRight) {
      throw new TypeError(
        `The flag "${name}" needs the type "boolean" or "string", and a default of that type or none`,
      );
    }
    assertRoom(this.flags, name, { most: MAX_FLAGS, what: "flags" });
    this.#warnOfUnknown(`The flag "${name}"`, flag, FLAG_MEMBERS);
    this.flags.set(name, {
      type,
      ...(value === undefined ? {} : { default: value }),
      ...(typeof description === "string" ? { description } : {}),
    });
  }

  /** An event that tau does not know is left out, with a warning. Throws for what is no handler. */
  addHandler(event: unknown, handler: unknown): void {
    if (typeof event !== "string" || !Object.hasOwn(EVENTS, event)) {
      return this.#warn(unknownEvent(event));
    }
    if (typeof handler !== "function") {
      throw new TypeError(`The handler of "${event}" is not a function`);
    }
    if (++this.#handlerCount > MAX_HANDLERS) {
      throw new RangeError(`A plugin may have ${MAX_HANDLERS} handlers`);
    }
    const name = event as PluginEventName;
    // A list that is being run through stays as it is.
    this.handlers.set(name, [
      ...this.handlers.get(name) ?? [],
      handler as AnyHandler,
    ]);
  }
}

function unknownEvent(event: unknown): string {
  const names = Object.keys(EVENTS);
  const near = typeof event === "string" ? nearestKey(event, names) : undefined;
  const told = typeof event === "string" ? JSON.stringify(event) : typeof event;
  return `There is no event ${told}, so its handler is never called; ${
    near === undefined
      ? `there are ${names.join(", ")}`
      : `did you mean "${near}"`
  }`;
}

function assertRoom(
  known: ReadonlyMap<string, unknown>,
  name: string,
  { most, what }: { most: number; what: string },
): void {
  if (known.has(name) || known.size < most) return;
  throw new RangeError(`A plugin may have ${most} ${what}`);
}
