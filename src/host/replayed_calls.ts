import type { AgentToolResult } from "../agent/agent_tool.ts";
import { ToolError } from "../agent/tool_error.ts";
import { textOf } from "../model/message.ts";
import type { CheckRunner } from "../session/check_goal.ts";
import type { ServedTool } from "../session/tool_server.ts";
import type { RunTape } from "./run_tape.ts";

/** Answers calls from a recording: nothing is run. */
export class ReplayedCalls {
  readonly #tape: Pick<RunTape, "resultOf">;
  readonly #onMiss: (problem: string) => void;

  /** `onMiss` hears of a call that was not recorded, which also fails. */
  constructor(
    tape: Pick<RunTape, "resultOf">,
    onMiss: (problem: string) => void,
  ) {
    this.#tape = tape;
    this.#onMiss = onMiss;
  }

  /** Returns the same tool with the results of the recording. */
  tool(served: ServedTool): ServedTool {
    const execute = (toolCallId: string) =>
      new Promise<AgentToolResult>((resolve) =>
        resolve(this.#resultOf(toolCallId))
      );
    return { ...served, tool: { ...served.tool, execute } };
  }

  /** Answers in place of a check. */
  readonly check: CheckRunner = () => {
    const { content, isError } = this.#resultOf();
    const outcome = { passed: isError !== true, output: textOf(content) };
    return Promise.resolve(outcome);
  };

  #resultOf(toolCallId?: string): AgentToolResult {
    const result = this.#tape.resultOf(toolCallId);
    if (typeof result !== "string") return result as unknown as AgentToolResult;
    this.#onMiss(result);
    throw new ToolError(result);
  }
}
