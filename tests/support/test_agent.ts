import { Agent, type AgentOptions } from "../../src/agent/agent.ts";
import type { AgentEvent } from "../../src/agent/agent_event.ts";
import type { InitialAgentState } from "../../src/agent/agent_state.ts";
import { type ScriptedModel, testModel } from "./scripted_model.ts";

/** How {@linkcode testAgent} makes an agent. */
export interface TestAgentOptions extends Omit<AgentOptions, "initialState"> {
  model: ScriptedModel;
  initialState?: Partial<InitialAgentState>;
}

/** An agent on a scripted model, with the events that it told. */
export function testAgent(
  { model, initialState, ...options }: TestAgentOptions,
): { agent: Agent; events: AgentEvent[] } {
  const agent = new Agent({
    ...options,
    initialState: { model: testModel, ...initialState },
    streamFn: model,
  });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => {
    events.push(event);
  });
  return { agent, events };
}
