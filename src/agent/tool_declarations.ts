import type { SystemMessage } from "../model/message.ts";
import { copyJson, isSameJson } from "../model/json_values.ts";
import type { JsonSchema, Tool } from "../model/tool.ts";
import { withoutUndefined } from "../model/without_undefined.ts";
import type { AgentMessage } from "./agent_message.ts";
import type { AgentTool } from "./agent_tool.ts";

/**
 * The tools that a transcript has declared so far, by name. It is fed each
 * message once, so that a turn costs nothing for the messages before it.
 */
export class DeclaredTools {
  #tools = new Map<string, Tool>();

  constructor(messages: Iterable<AgentMessage> = []) {
    for (const message of messages) this.read(message);
  }

  /** A copy that can be read on from. */
  copy(): DeclaredTools {
    const copy = new DeclaredTools();
    copy.#tools = new Map(this.#tools);
    return copy;
  }

  /** The declarations, in the order in which they were made. */
  values(): Iterable<Tool> {
    return this.#tools.values();
  }

  /** Takes over what a message declares. */
  read(message: AgentMessage): void {
    if (message.role !== "system") return;
    for (const { name } of message.toolsRemoved ?? []) this.#tools.delete(name);
    for (const tool of message.toolsAdded ?? []) {
      this.#tools.set(tool.name, tool);
    }
  }

  /** Declarations that make the transcript say exactly `tools`; undefined when it does already. */
  changeTo(
    tools: readonly AgentTool[],
  ): Pick<SystemMessage, "toolsAdded" | "toolsRemoved"> | undefined {
    const wanted = new Set<string>();
    const added: Tool[] = [];
    const removed: { name: string }[] = [];
    for (const tool of tools) {
      wanted.add(tool.name);
      const declaration = declarationOf(tool);
      const declared = this.#tools.get(tool.name);
      if (declared && isSameDeclaration(declared, declaration)) continue;
      if (declared) removed.push({ name: tool.name });
      added.push(declaration);
    }
    for (const name of this.#tools.keys()) {
      if (!wanted.has(name)) removed.push({ name });
    }
    if (added.length === 0 && removed.length === 0) return undefined;
    return withoutUndefined({
      toolsAdded: added.length > 0 ? added : undefined,
      toolsRemoved: removed.length > 0 ? removed : undefined,
    });
  }
}

/**
 * The messages that open a turn, with whatever declaration makes the
 * transcript agree with `tools`: in the last system message among them, or in
 * one of its own before the first other message.
 */
export function declareToolChanges(
  declared: DeclaredTools,
  tools: readonly AgentTool[] = [],
  pending: AgentMessage[],
): AgentMessage[] {
  const at = pending.findLastIndex((message) => message.role === "system");
  const message = pending[at];
  if (message?.role === "system") {
    const { toolsAdded: _, toolsRemoved: __, ...rest } = message;
    const earlier = pending.slice(0, at).filter((m) => m.role === "system");
    const before = declared.copy();
    for (const m of earlier) before.read(m);
    const change = before.changeTo(tools);
    const declares = message.toolsAdded?.length || message.toolsRemoved?.length;
    return change || declares
      ? pending.with(at, { ...rest, ...change })
      : pending;
  }
  const change = declared.changeTo(tools);
  if (!change) return pending;
  return [
    { role: "system", content: "", ...change, timestamp: Date.now() },
    ...pending,
  ];
}

const declarations = new WeakMap<AgentTool, Tool>();

/** The declaration of a tool: the same one until the tool says something else. A frozen tool never does. */
export function declarationOf(tool: AgentTool): Tool {
  const known = declarations.get(tool);
  if (known && Object.isFrozen(tool)) return known;
  const { name, description, parameters, constrainedSampling } = tool;
  const now = withoutUndefined({
    name,
    description,
    parameters,
    constrainedSampling,
  });
  if (known && isSameJson(known, now)) return known;
  // A copy: the tool may change its schema in place later.
  const declaration = Object.isFrozen(tool)
    ? now
    : { ...now, parameters: copyJson(parameters) as JsonSchema };
  declarations.set(tool, declaration);
  return declaration;
}

const equal = new WeakMap<Tool, Tool>();

function isSameDeclaration(a: Tool, b: Tool): boolean {
  if (a === b || equal.get(a) === b) return true;
  if (!isSameJson(a, b)) return false;
  equal.set(a, b);
  return true;
}
