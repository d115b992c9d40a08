import assert from "node:assert/strict";
import type { AgentEvent } from "../../src/agent/agent_event.ts";
import { runAgentLoop } from "../../src/agent/agent_loop.ts";
import type { AgentMessage } from "../../src/agent/agent_message.ts";
import type { AgentTool } from "../../src/agent/agent_tool.ts";
import type { AgentLoopConfig } from "../../src/agent/loop_config.ts";
import type { Message, UserMessage } from "../../src/model/message.ts";
import { type ScriptedModel, testModel } from "./scripted_model.ts";

/** What a run gave. */
export interface RecordedRun {
  /** The messages that the run added. */
  messages: AgentMessage[];
  events: AgentEvent[];
}

/** How {@linkcode recordRun} runs. */
export interface RecordRunOptions extends Partial<AgentLoopConfigWithoutModel> {
  model: ScriptedModel;
  tools?: AgentTool[];
  /** The transcript before the run. */
  history?: AgentMessage[];
  signal?: AbortSignal;
  /** Hears each event after it was recorded; its throw fails the run. */
  onEvent?: (event: AgentEvent) => void | Promise<void>;
  /** The run is meant to end before the script does. */
  endedEarly?: boolean;
}

type AgentLoopConfigWithoutModel = Omit<AgentLoopConfig, "model">;

/** The configuration that a test needs least of. */
export const testConfig: AgentLoopConfig = {
  model: testModel,
  convertToLlm: toLlm,
};

/** The messages that a provider knows. */
export function toLlm(messages: readonly AgentMessage[]): Message[] {
  const roles: string[] = ["system", "user", "assistant", "toolResult"];
  return messages.filter((message): message is Message =>
    roles.includes(message.role)
  );
}

/** Something that the user said. */
export function user(text: string): UserMessage {
  return { role: "user", content: text, timestamp: 0 };
}

/**
 * Runs the loop on a scripted model and records its events. Fails when the
 * script was not played to its end, or when an event changed after it was told.
 */
export async function recordRun(
  prompt: string | AgentMessage[],
  options: RecordRunOptions,
): Promise<RecordedRun> {
  const { model, tools, history = [], signal, onEvent, endedEarly, ...hooks } =
    options;
  const events: AgentEvent[] = [];
  const told: string[] = [];
  const messages = await runAgentLoop(
    typeof prompt === "string" ? [user(prompt)] : prompt,
    { messages: history, ...(tools ? { tools } : {}) },
    { ...testConfig, ...hooks },
    (event) => {
      events.push(event);
      told.push(JSON.stringify(event));
      return onEvent?.(event);
    },
    signal,
    model,
  );
  model.assertPlayed({ endedEarly: endedEarly ?? false });
  assert.deepEqual(
    events.map((event) => JSON.stringify(event)),
    told,
    "an event changed after it was told",
  );
  return { messages, events };
}
