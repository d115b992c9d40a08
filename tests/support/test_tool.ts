import type { AgentTool, AgentToolResult } from "../../src/agent/agent_tool.ts";
import type { JsonObject } from "../../src/model/content.ts";

/** One execution of a {@linkcode testTool}. */
export interface TestToolCall {
  id: string;
  args: JsonObject;
  signal: AbortSignal;
  /** Reports progress. */
  update(text: string): void;
}

/**
 * A tool for tests that takes any object. A text that `run` returns becomes
 * the result; anything else is the result as it is, for tools that are not
 * typed.
 */
export function testTool(
  name: string,
  run: (call: TestToolCall) => unknown = () => `${name} done`,
  rest: Partial<AgentTool> = {},
): AgentTool {
  return {
    name,
    label: name,
    description: `Runs ${name}.`,
    parameters: { type: "object" },
    async execute(id, args, signal = new AbortController().signal, onUpdate) {
      const update = (text: string) => onUpdate?.(textResult(text));
      const returned = await run({ id, args, signal, update });
      return typeof returned === "string"
        ? textResult(returned)
        : returned as AgentToolResult;
    },
    ...rest,
  };
}

/** A tool that reports progress once and is done. */
export function chattyTool(name: string): AgentTool {
  return testTool(name, ({ update }) => {
    update("half");
    return `${name} done`;
  });
}

/** A result of one text. */
export function textResult(text: string): AgentToolResult {
  return { content: [{ type: "text", text }] };
}

/** Rejects with the signal's reason when it aborts: a tool that waits for long and hears the abort. */
export function untilAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), {
      once: true,
    });
  });
}
