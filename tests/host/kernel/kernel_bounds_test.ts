import assert from "node:assert/strict";
import type { AgentToolResult } from "../../../src/agent/agent_tool.ts";
import type { JsonValue } from "../../../src/model/content.ts";
import {
  KernelRequests,
  type KernelRequestsParts,
} from "../../../src/host/kernel/kernel_requests.ts";
import { KERNEL_RULES } from "../../../src/protocol/checks.ts";
import {
  MAX_LATE,
  MAX_OPEN,
  MAX_OPEN_REQUESTS,
} from "../../../src/protocol/kernel_bounds.ts";
import type {
  KernelMessage,
  KernelMessageOf,
} from "../../../src/protocol/kernel_protocol.ts";
import { type PlayedKernel, playKernel } from "../../support/played_kernel.ts";

const HELLO: KernelMessage = { type: "hello", version: 1 };
const ABORT: KernelMessage = { type: "tell", kind: "abort" };
const DECLARE: KernelMessage = {
  type: "declare",
  plugins: [],
  tools: [],
  commands: [],
  flags: [],
  listens: [],
};
const text = (text: string): AgentToolResult => ({
  content: [{ type: "text", text }],
});

/** A kernel that serves, with one open call of that origin. */
function serving(
  from: "built_in" | "declared" = "declared",
  onUpdate?: (result: AgentToolResult) => void,
): PlayedKernel & { called: Promise<AgentToolResult> } {
  const played = playKernel();
  played.peer.take(HELLO);
  const call = { from, tool: "t", toolCallId: "c", args: {} };
  const called = played.peer.call(call, { signal: undefined, onUpdate });
  called.catch(() => {});
  return { ...played, called };
}

Deno.test("KernelPeer.take() takes as many declarations in ten seconds as the table says, and breaks off at one more", () => {
  const { peer, heard, broken } = playKernel({ loads: true });
  peer.take(HELLO);
  const most = KERNEL_RULES.declare.maxInTenSeconds as number;
  for (let n = 0; n < most; n++) peer.take(DECLARE);
  assert.deepEqual([heard.length, broken], [most, []]);
  peer.take(DECLARE);
  assert.equal(heard.length, most);
  assert.match(broken[0] ?? "", /too many of declare/);
});

Deno.test("KernelPeer.take() drops what plugins tell beyond the bound, and goes on", () => {
  const { peer, heard, broken } = serving();
  const most = KERNEL_RULES.tell.maxInTenSeconds as number;
  for (let n = 0; n < most + 5; n++) peer.take(ABORT);
  assert.deepEqual([heard.length, broken], [most, []]);
});

Deno.test("KernelPeer.take() breaks off a kernel with too many open requests, and one that gives a number twice", () => {
  const request = (requestId: number): KernelMessage => ({
    type: "request",
    requestId,
    kind: "kill",
    marker: "m",
  });
  const many = serving();
  for (let n = 0; n < MAX_OPEN; n++) many.peer.take(request(n));
  assert.deepEqual([many.heard.length, many.broken], [MAX_OPEN, []]);
  many.peer.take(request(MAX_OPEN));
  assert.match(many.broken[0] ?? "", /too many requests open/);
  const twice = serving();
  twice.peer.take(request(3));
  twice.peer.reply(3, {});
  twice.peer.take(request(3));
  assert.match(twice.broken[0] ?? "", /a number of a request again/);
});

Deno.test("KernelPeer.reply() answers a request once, and not one that was taken back", () => {
  const { peer, sent } = serving();
  const replies = () => sent.filter(({ type }) => type === "reply").length;
  peer.take({ type: "request", requestId: 0, kind: "kill", marker: "m" });
  peer.reply(0, {});
  peer.reply(0, {});
  assert.equal(replies(), 1);
});

Deno.test("KernelPeer.take() takes the first of two results, and breaks off where results of what is over go on", async () => {
  const { peer, broken, called } = serving();
  const result = (words: string): KernelMessage => ({
    type: "result",
    callId: 0,
    result: text(words),
  });
  peer.take(result("first"));
  for (let n = 0; n < MAX_LATE; n++) peer.take(result("late"));
  assert.deepEqual(await called, text("first"));
  assert.deepEqual(broken, []);
  peer.take(result("late"));
  assert.match(broken[0] ?? "", /late too often/);
});

Deno.test("KernelPeer.take() passes on a bounded number of updates, and drops what no kernel may decide", () => {
  for (const from of ["built_in", "declared"] as const) {
    const heard: AgentToolResult[] = [];
    const { peer } = serving(from, (result) => heard.push(result));
    const result = {
      ...text("more"),
      terminate: true,
      addedToolNames: ["rm"],
    };
    const update: KernelMessage = { type: "update", callId: 0, result };
    for (let n = 0; n < 1000; n++) peer.take(update);
    assert.equal(heard.length, 200);
    assert.deepEqual(
      heard[0],
      from === "declared" ? { ...text("more"), terminate: true } : text("more"),
    );
  }
});

Deno.test("KernelPeer.take() ends a run by a fatal error of a plugin's tool alone", async () => {
  for (const from of ["built_in", "declared"] as const) {
    const { peer, called } = serving(from);
    const error = { kind: "fatal", message: "over" } as const;
    peer.take({ type: "result", callId: 0, error });
    const name = from === "declared" ? "NonRecoverableToolError" : "ToolError";
    await assert.rejects(called, { name, message: "over" });
  }
});

Deno.test("KernelPeer.take() breaks off a kernel that answers another question than it was asked", () => {
  const { peer, broken } = serving();
  const input = { toolName: "t", toolCallId: "c", input: {} };
  peer.ask("tool_call", input).catch(() => {});
  peer.take({
    type: "answer",
    askId: 0,
    kind: "image",
    value: { content: [] },
  });
  assert.match(broken[0] ?? "", /it answered tool_call with image/);
});

/** Requests of the kernel as the host serves them, each kept waiting until `release`. */
function requests(
  parts: Partial<KernelRequestsParts> = {},
): { service: KernelRequests; release(): void; begun: Record<string, number> } {
  const gate = Promise.withResolvers<void>();
  const begun: Record<string, number> = {};
  const wait = async (kind: string) => {
    begun[kind] = (begun[kind] ?? 0) + 1;
    await gate.promise;
  };
  const service = new KernelRequests({
    ask: () => wait("dialog").then(() => true),
    fetch: () => wait("fetch").then(() => ({})),
    kill: () => wait("kill"),
    runCall: () => wait("call").then(() => text("ran")),
    activate: () => {},
    say: () => {},
    keep: () => {},
    report: () => {},
    abort: () => {},
    shutdown: () => {},
    compact: () => {},
    ...parts,
  });
  return { service, begun, release: () => gate.resolve() };
}

type RequestBody = KernelMessageOf<"request"> extends infer Message
  ? Message extends unknown ? Omit<Message, "type" | "requestId"> : never
  : never;

const REQUESTS: Record<keyof typeof MAX_OPEN_REQUESTS, RequestBody> = {
  dialog: {
    kind: "dialog",
    dialog: { kind: "confirm", title: "Sure?", message: "" },
  },
  fetch: { kind: "fetch", request: { url: "https://a.b" } },
  call: { kind: "call", parent: "c", tool: "t", args: {}, hasUpdates: false },
  kill: { kind: "kill", marker: "m" },
} as Record<keyof typeof MAX_OPEN_REQUESTS, RequestBody>;

for (
  const [kind, most] of Object.entries(MAX_OPEN_REQUESTS) as [
    keyof typeof MAX_OPEN_REQUESTS,
    number,
  ][]
) {
  Deno.test(`KernelRequests.take() serves ${most} of ${kind} at once, and answers one more without serving it`, async () => {
    const { peer, sent } = serving();
    const { service, begun, release } = requests();
    const ask = (requestId: number) => {
      const request = { type: "request", requestId, ...REQUESTS[kind] };
      peer.take(request as KernelMessage);
      return service.take(request as KernelMessageOf<"request">, peer);
    };
    const taken = Array.from({ length: most }, (_, n) => ask(n));
    await ask(most);
    const replies = sent.filter(({ type }) => type === "reply");
    assert.equal(replies.length, 1);
    assert.deepEqual(
      Object.keys(replies[0] ?? {}).includes("error"),
      kind !== "dialog",
    );
    release();
    await Promise.all(taken);
    assert.equal(begun[kind], most);
    assert.equal(sent.filter(({ type }) => type === "reply").length, most + 1);
  });
}

Deno.test("KernelRequests.take() ends the processes of one call at a time", async () => {
  const { peer } = serving();
  const { service, begun, release } = requests();
  const taken = [0, 1, 2].map((requestId) => {
    const request = { type: "request", requestId, ...REQUESTS.kill };
    peer.take(request as KernelMessage);
    return service.take(request as KernelMessageOf<"request">, peer);
  });
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(begun.kill, 1);
  release();
  await Promise.all(taken);
  assert.equal(begun.kill, 3);
});

Deno.test("KernelRequests.take() makes no call for a parent that is over, or is no plugin's", async () => {
  for (const [from, parent] of [["built_in", "c"], ["declared", "other"]]) {
    const { peer, sent } = serving(from as "built_in");
    const { service, begun } = requests();
    const request = {
      ...{ type: "request", requestId: 0, kind: "call" },
      ...{ parent, tool: "t", args: {}, hasUpdates: false },
    } as KernelMessageOf<"request">;
    peer.take(request);
    await service.take(request, peer);
    assert.equal(begun.call, undefined);
    const reply = sent.find(({ type }) => type === "reply");
    assert.match(JSON.stringify(reply), /The call that it is made for is over/);
  }
});

Deno.test("KernelRequests.heed() bounds what plugins say and tell in a run, and what they keep", () => {
  const done = { say: 0, report: 0 };
  const kept: JsonValue[] = [];
  const { service } = requests({
    say: () => done.say++,
    report: () => done.report++,
    keep: (_, data) => kept.push(data ?? null),
  });
  const heed = (tell: object, times = 1) => {
    const message = { type: "tell", ...tell } as KernelMessageOf<"tell">;
    for (let n = 0; n < times; n++) service.heed(message);
  };
  const said = { customType: "m", content: "hi", display: true };
  const notice = { plugin: "p", level: "info", message: "hi" };
  const fault = { plugin: "p", path: "/p.js", during: "x", message: "hi" };
  heed({ kind: "say", message: said }, 999);
  heed({ kind: "say_as_user", content: "hi" }, 2);
  heed({ kind: "notice", ...notice }, 999);
  heed({ kind: "fault", ...fault }, 2);
  assert.deepEqual(done, { say: 1000, report: 1000 });
  service.begin();
  heed({ kind: "say", message: said });
  heed({ kind: "fault", ...fault });
  assert.deepEqual(done, { say: 1001, report: 1001 });
  heed({ kind: "keep", customType: "tau:own", data: 1 });
  assert.deepEqual(kept, []);
  const piece = "x".repeat(1024 * 1024 - 16);
  heed({ kind: "keep", customType: "mine", data: piece }, 70);
  assert.equal(kept.length, 64);
});
