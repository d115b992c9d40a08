import assert from "node:assert/strict";
import { Agent, type AgentConfig } from "../../src/agent/agent.ts";
import type { AgentEvent } from "../../src/agent/agent_event.ts";
import { keepModelMessages } from "../../src/agent/request_messages.ts";
import { assembleMessage } from "../../src/model/assemble_message.ts";
import { createLocalBashOperations } from "../../src/operations/local_shell_operations.ts";
import { deltaSourceFor } from "../../src/providers/delta_source_for.ts";
import {
  createBashTool,
  createReadTool,
  createWriteTool,
} from "../../src/tools/factories.ts";
import { killAll, leftAfter } from "../support/processes.ts";
import {
  call,
  type Reply,
  say,
  startProviderDouble,
} from "../support/provider_double.ts";
import { testModel } from "../support/recorded_stream.ts";
import { assertWholeRun } from "../support/run_invariants.ts";
import { needing } from "../support/needs.ts";
import { inTempFolder } from "../support/temp_folder.ts";

/** Waits for a file, with a child of its own that would outlive everything. */
const WAIT = `echo begin; sleep 300 & child=$!
until [ -e release ]; do sleep 0.02; done
kill $child; wait; rm release`;

const MADE = "made\n".repeat(2000);

const linuxTest = needing("linux");

linuxTest(
  "Agent leaves no process, socket or file behind when it is aborted",
  async () => {
    const hits = await everyRound(async (n) => {
      let count = 0;
      const { aborted, events } = await runRound({
        atEvent: (_event, abort) => count++ === n && abort(),
      });
      const end = events.at(-1);
      assert(end?.type === "agent_end");
      assert.equal(end.aborted === true, aborted && n < events.length - 1);
      return aborted;
    });
    assert(hits > 40, "the scenario has too few events");
  },
);

linuxTest(
  "Agent leaves no process, socket or file behind when a hook throws",
  async () => {
    const hits = await everyRound(async (n) => {
      let count = 0;
      let isHit = false;
      await runRound({
        atHook() {
          if (count++ !== n) return;
          isHit = true;
          throw new Error("hook broke");
        },
      });
      return isHit;
    });
    assert(hits > 20, "the scenario has too few hook calls");
  },
);

linuxTest(
  "Agent leaves no socket behind when it is aborted in a silence",
  async () => {
    const { events } = await runRound({
      replies: [{ ...say("Once upon a time"), hangAfterBytes: 900 }],
      atEvent: ({ type }, abort) => type === "message_update" && abort(),
    });
    const last = events.at(-2);
    assert(last?.type === "turn_end");
    assert.equal(last.message.stopReason, "aborted");
  },
);

/** Repeats a run with its fault one step later each time. Resolves to how often it was hit. */
async function everyRound(
  runWithFaultAt: (n: number) => Promise<boolean>,
): Promise<number> {
  let hits = 0;
  while (await runWithFaultAt(hits)) hits++;
  return hits;
}

/** What a run meets. */
interface Faults {
  /** Default: a batch of all tools, one more call, an answer. */
  replies?: Reply[];
  atEvent?(event: AgentEvent, abort: () => void): unknown;
  atHook?(): void;
}

/** One run with a fault, and a prompt behind it. Fails when anything is left of them. */
async function runRound(
  faults: Faults,
): Promise<{ aborted: boolean; events: AgentEvent[] }> {
  const marker = { name: "TAU_TEST_ROUND", value: crypto.randomUUID() };
  let outcome: Awaited<ReturnType<typeof run>> | undefined;
  await inTempFolder(async (cwd) => {
    try {
      outcome = await run(faults, { cwd, marker });
      const left = await leftAfter(0, marker);
      assert.deepEqual(left, [], "processes are left");
      await assertOnlyWhole(cwd);
    } finally {
      killAll(await leftAfter(0, marker));
    }
  });
  assert(outcome);
  return outcome;
}

async function run(
  { replies = callingReplies(), atEvent, atHook }: Faults,
  { cwd, marker }: { cwd: string; marker: { name: string; value: string } },
): Promise<{ aborted: boolean; events: AgentEvent[] }> {
  await Deno.writeTextFile(`${cwd}/note.txt`, "alpha\n");
  const api = "openai-completions";
  await using double = startProviderDouble({
    api,
    script: Array.from({ length: 6 }, () => () => replies.shift() ?? say("?")),
  });
  const source = await deltaSourceFor(api);
  const PATH = Deno.env.get("PATH") ?? "";
  const operations = createLocalBashOperations({
    environment: { PATH, [marker.name]: marker.value },
  });
  const agent = new Agent({
    ...failingHooks(atHook),
    initialState: {
      model: testModel(api, { baseUrl: double.url }),
      tools: [
        createBashTool(cwd, { operations }),
        createWriteTool(cwd),
        createReadTool(cwd),
      ],
    },
    streamFn: (model, context, options = {}) =>
      assembleMessage(model, source(model, context, options)),
  });

  const events: AgentEvent[] = [];
  let aborted = false;
  const unsubscribe = agent.subscribe(async (event) => {
    events.push(event);
    atEvent?.(event, () => {
      aborted = true;
      agent.abort();
    });
    const isWaiting = event.type === "tool_execution_update" &&
      event.toolName === "bash";
    if (isWaiting && !aborted) await Deno.writeTextFile(`${cwd}/release`, "");
  });
  await agent.prompt("Go.");
  assertWholeRun({ messages: agent.state.messages.slice(1), events });

  // What is left of the run is a conversation that can go on.
  unsubscribe();
  Object.assign(agent, failingHooks(undefined));
  replies.splice(0, Infinity, say("Fine."));
  await agent.prompt("How are you?");
  assert.equal(agent.state.errorMessage, undefined);
  assert.deepEqual(double.requests.flatMap(({ fault }) => fault ?? []), []);
  await operations.close();
  await untilNone("connection", () => countConnections(double.url));
  return { aborted, events };
}

function callingReplies(): Reply[] {
  return [
    say(
      "All at once.",
      call("bash", { command: WAIT }),
      call("write", { path: "made.txt", content: MADE }),
      call("read", { path: "note.txt" }),
    ),
    say("And again.", call("bash", { command: WAIT })),
    say("Done."),
  ];
}

/** Every hook, each with its fault before it does nothing. */
function failingHooks(fault: () => void = () => {}): AgentConfig {
  const nothing = () => fault() as undefined;
  return {
    convertToLlm(messages) {
      fault();
      return keepModelMessages(messages);
    },
    transformContext(messages) {
      fault();
      return messages;
    },
    getApiKey() {
      fault();
      return "key";
    },
    prepareRequest: nothing,
    prepareNextTurn: nothing,
    finishTurn: nothing,
    beforeToolCall: nothing,
    afterToolCall: nothing,
  };
}

/** The folder holds nothing but what a whole call makes. */
async function assertOnlyWhole(cwd: string): Promise<void> {
  for await (const { name } of Deno.readDir(cwd)) {
    if (name !== "made.txt") {
      // The release may have come for a call that was aborted meanwhile.
      assert(["note.txt", "release"].includes(name), `${name} is left`);
    } else assert.equal(await Deno.readTextFile(`${cwd}/${name}`), MADE);
  }
}

/** Connections to a server that its client has not closed. */
async function countConnections(url: string): Promise<number> {
  const port = Number(new URL(url).port).toString(16).toUpperCase()
    .padStart(4, "0");
  const table = await Deno.readTextFile("/proc/net/tcp");
  const established = "01";
  return table.split("\n").filter((line) => {
    const [, , remote, state] = line.trim().split(/\s+/);
    return remote?.endsWith(`:${port}`) && state === established;
  }).length;
}

/** Resolves when nothing of the kind is left; the system takes a moment to close a socket. */
async function untilNone(
  kind: string,
  count: () => Promise<number>,
): Promise<void> {
  const endMs = performance.now() + 2000;
  for (let left = 0; (left = await count()) > 0;) {
    assert(performance.now() < endMs, `${left} ${kind}s are left`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
