import type { AgentTool, AgentToolUpdate } from "../../src/agent/agent_tool.ts";

/** What a call came to; a throw is an error with its message. */
export interface ToolOutcome {
  text: string;
  isError: boolean;
  details: unknown;
  structuredContent: unknown;
  /** Milliseconds that the call took. */
  elapsedMs: number;
}

/** Runs one call of a tool. */
export async function outcomeOf(
  tool: AgentTool,
  params: Record<string, string | number | boolean>,
  options: { signal?: AbortSignal; onUpdate?: AgentToolUpdate } = {},
): Promise<ToolOutcome> {
  const startMs = performance.now();
  const elapsed = () => performance.now() - startMs;
  try {
    const result = await tool.execute(
      "call",
      params,
      options.signal,
      options.onUpdate,
    );
    return {
      text: result.content.map((block) =>
        block.type === "text" ? block.text : ""
      ).join("\n"),
      isError: result.isError ?? false,
      details: result.details,
      structuredContent: result.structuredContent,
      elapsedMs: elapsed(),
    };
  } catch (error) {
    return {
      text: (error as Error).message,
      isError: true,
      details: undefined,
      structuredContent: undefined,
      elapsedMs: elapsed(),
    };
  }
}
