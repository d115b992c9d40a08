import { Agent } from "../../src/agent/agent.ts";
import type { AgentTool } from "../../src/agent/agent_tool.ts";
import { type AssistantMessage, emptyUsage } from "../../src/model/message.ts";
import type { Model } from "../../src/model/model.ts";
import type {
  AssistantMessageEvent,
  StreamFn,
} from "../../src/model/stream.ts";
import { leastOf } from "./child.ts";

// A public agent core with the same interface. Its name is no literal at the
// import, so that neither `deno check` nor the lock file needs all it depends on.
const REFERENCE = "npm:@earendil-works/pi-agent-core@1.6.0";

const MODEL: Model = {
  id: "bench",
  name: "Bench",
  api: "openai-completions",
  provider: "bench",
  baseUrl: "http://127.0.0.1:9",
  input: ["text"],
  reasoning: false,
  contextWindow: 1e9,
  maxTokens: 1e6,
};

/** A run of nothing but the core: a model that answers at once and tools that do nothing. */
interface Work {
  turns?: number;
  /** Calls a turn. */
  calls?: number;
  tools?: number;
  /** Deltas in the last answer. */
  deltas?: number;
}

/** A measurement, and the number of units that its time is divided by. */
const SECTIONS: { name: string; work: Work; count: number; unit: string }[] = [
  {
    name: "5,000 turns of one call",
    work: { turns: 5000 },
    count: 5000,
    unit: "call",
  },
  {
    name: "one turn of 2,000 calls",
    work: { calls: 2000 },
    count: 2000,
    unit: "call",
  },
  { name: "200 turns", work: { turns: 200 }, count: 200, unit: "turn" },
  { name: "6,400 turns", work: { turns: 6400 }, count: 6400, unit: "turn" },
  {
    name: "200 turns with 300 tools",
    work: { turns: 200, tools: 300 },
    count: 200,
    unit: "turn",
  },
  {
    name: "5,000 deltas",
    work: { turns: 0, deltas: 5000 },
    count: 5000,
    unit: "delta",
  },
];

const TEXT_MESSAGE = messageOf([{ type: "text", text: "Done." }], "stop");

const { Agent: Reference } = await import(REFERENCE) as { Agent: typeof Agent };
for (const AgentClass of [Agent, Reference]) {
  await runOnce(AgentClass, { turns: 300, calls: 3, deltas: 300 });
}
for (const { name, work, count, unit } of SECTIONS) {
  let theirMs = Infinity;
  const ourMs = await leastOf(5, async () => {
    theirMs = Math.min(theirMs, await runOnce(Reference, work));
    return await runOnce(Agent, work);
  });
  const [ours, theirs] = [ourMs, theirMs].map((ms) =>
    (1000 * ms / count).toFixed(1)
  );
  print(
    `  ${name.padEnd(25)}${ours?.padStart(7)} µs a ${unit}, ${
      (ourMs / theirMs).toFixed(3)
    } times another core (${theirs} µs)`,
  );
}

/** Milliseconds of one run. */
async function runOnce(AgentClass: typeof Agent, work: Work): Promise<number> {
  const { turns = 1, calls = 1, tools = 1, deltas = 0 } = work;
  let turn = 0;
  const streamFn: StreamFn = () =>
    answer(
      turn++ < turns ? callMessage(turn, calls) : TEXT_MESSAGE,
      turn > turns ? deltas : 0,
    );
  const agent = new AgentClass({
    initialState: {
      systemPrompt: "Bench.",
      model: MODEL,
      tools: Array.from({ length: tools }, (_, i) => makeTool(`tool_${i}`)),
    },
    streamFn,
  });
  let events = 0;
  agent.subscribe(() => {
    events++;
  });
  const startMs = performance.now();
  await agent.prompt("Go.");
  const wallMs = performance.now() - startMs;
  const messages = 3 + turns * (1 + calls);
  if (agent.state.messages.length !== messages || events < deltas) {
    throw new Error(`${agent.state.errorMessage ?? "the run is not whole"}`);
  }
  return wallMs;
}

function makeTool(name: string): AgentTool {
  const properties = Object.fromEntries(
    Array.from({ length: 8 }, (_, i) => [
      `property_${i}`,
      { type: "string", description: `Property ${i} of ${name}.` },
    ]),
  );
  const result = {
    content: [{ type: "text" as const, text: "done" }],
    details: {},
  };
  return {
    name,
    label: name,
    description: `Does what ${name} does.`,
    parameters: { type: "object", properties, required: ["property_0"] },
    execute: () => Promise.resolve(result),
  };
}

function callMessage(turn: number, calls: number): AssistantMessage {
  return messageOf(
    Array.from({ length: calls }, (_, i) => ({
      type: "toolCall",
      id: `call_${turn}_${i}`,
      name: "tool_0",
      arguments: { property_0: "value", property_1: "other" },
    })),
    "toolUse",
  );
}

function messageOf(
  content: AssistantMessage["content"],
  stopReason: AssistantMessage["stopReason"],
): AssistantMessage {
  return {
    role: "assistant",
    content,
    api: MODEL.api,
    provider: MODEL.provider,
    model: MODEL.id,
    usage: emptyUsage(),
    stopReason,
    timestamp: 0,
  };
}

/** A response that has arrived already, as the least that both cores take. */
function answer(
  message: AssistantMessage,
  deltas: number,
): ReturnType<StreamFn> {
  const stream = {
    async *[Symbol.asyncIterator](): AsyncIterator<AssistantMessageEvent> {
      const partial = { ...message, stopReason: "pending" as const };
      yield { type: "start", partial };
      for (let i = 0; i < deltas; i++) {
        yield {
          type: "text_delta",
          contentIndex: 0,
          delta: "x",
          partial: { ...partial },
        };
      }
      const reason = message.stopReason as "stop" | "toolUse";
      yield { type: "done", reason, message };
    },
    result: () => Promise.resolve(message),
  };
  return stream as unknown as ReturnType<StreamFn>;
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
