/** Hears all that there is to hear: what the plugin beside it says, and every event. */
import type { JsonValue, PluginAPI, PluginEventName } from "tau";

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

export default function (tau: PluginAPI): void {
  tau.events.on("ping", (data) => {
    tau.appendEntry("heard", data as JsonValue);
  });
  const heard = new Set<string>();
  for (const name of Object.keys(EVENTS) as PluginEventName[]) {
    tau.on(name, ({ type }) => {
      heard.add(type);
      return undefined;
    });
  }
  tau.on("session_shutdown", async (_event, { cwd }) => {
    await Deno.writeTextFile(`${cwd}/heard.json`, JSON.stringify([...heard]));
  });
}
