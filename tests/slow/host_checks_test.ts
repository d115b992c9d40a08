// Takes out, one after the other, what the host checks of the messages of a
// kernel: each must be missed by a test.
import assert from "node:assert/strict";
import { withChangedSource } from "../support/escape_source.ts";

const PEER = "src/host/kernel/kernel_peer.ts";
const REQUESTS = "src/host/kernel/kernel_requests.ts";
const PROCESS = "src/host/kernel_process.ts";
const SESSION = "src/host/kernel/kernel_session.ts";
const BOUNDS = "tests/host/kernel/kernel_bounds_test.ts";
const PROTOCOL = "tests/host/kernel_protocol_test.ts";
const DEATH = "tests/host/kernel_death_test.ts";
const BLAME = "tests/host/plugin_blame_test.ts";

/** A check of the host, the line that takes it out, and the tests that miss it. */
type Removal = [
  what: string,
  file: string,
  from: string,
  to: string,
  test: string,
];

const REMOVALS: Removal[] = [
  [
    "the phase",
    PEER,
    "if (!phases.includes(this.#phase)) {",
    "if (!phases.includes(this.#phase) && !phases.length) {",
    PROTOCOL,
  ],
  [
    "the rate of each kind",
    PEER,
    "if (!this.#allows(type, maxInTenSeconds)) {",
    "if (!this.#allows(type, maxInTenSeconds) && !phases.length) {",
    BOUNDS,
  ],
  [
    "a new number for each request",
    PEER,
    "if (!this.#requests.add(message.requestId, new AbortController())) {",
    "if (!this.#requests.add(message.requestId, new AbortController()) && !type) {",
    BOUNDS,
  ],
  [
    "the number of open requests",
    PEER,
    "if (this.#requests.size > MAX_OPEN) {",
    "if (this.#requests.size > MAX_OPEN * 2) {",
    BOUNDS,
  ],
  [
    "a reply for what is open only",
    PEER,
    "if (!this.#requests.take(requestId)) return;",
    "this.#requests.take(requestId);",
    BOUNDS,
  ],
  [
    "the number of a request that is taken back",
    PEER,
    "if (this.#isKnown(this.#requests, message.requestId)) {",
    "if (message.requestId >= 0) {",
    PROTOCOL,
  ],
  [
    "the number of a call in an update",
    PEER,
    "    if (!this.#isKnown(this.#calls, callId)) return;\n    const open = this.#calls.get(callId);",
    "    const open = this.#calls.get(callId);",
    PROTOCOL,
  ],
  [
    "the rate of updates",
    PEER,
    "if (open?.rate.allows(1)) open",
    "if (open) open",
    BOUNDS,
  ],
  [
    "the number of a call in a result",
    PEER,
    "    if (!this.#isKnown(this.#calls, callId)) return;\n    const open = this.#calls.take(callId);",
    "    const open = this.#calls.take(callId);",
    PROTOCOL,
  ],
  [
    "a fatal error of a plugin's tool only",
    PEER,
    'kind === "fatal" && call.from === "declared"',
    'kind === "fatal"',
    BOUNDS,
  ],
  [
    "the number of a question in an answer",
    PEER,
    "if (!this.#isKnown(this.#asks, askId)) return;",
    "",
    PROTOCOL,
  ],
  [
    "an answer to what was asked",
    PEER,
    'if (kind !== "failed" && kind !== open.kind) {',
    'if (kind !== "failed" && kind === undefined) {',
    BOUNDS,
  ],
  [
    "the number of late messages",
    PEER,
    "++this.#late > MAX_LATE",
    "++this.#late > MAX_LATE * 9",
    BOUNDS,
  ],
  [
    "the end of a run by a plugin's tool only",
    PEER,
    'terminate && from === "declared"',
    "terminate",
    BOUNDS,
  ],
  [
    "tools that a result adds",
    PEER,
    "{ addedToolNames: _, terminate, ...result }: AgentToolResult,",
    "{ terminate, ...result }: AgentToolResult,",
    BOUNDS,
  ],
  [
    "requests of one kind at once",
    REQUESTS,
    "if (this.#open[kind] >= MAX_OPEN_REQUESTS[kind]) {",
    "if (this.#open[kind] > MAX_OPEN_REQUESTS[kind]) {",
    BOUNDS,
  ],
  [
    "one search through processes at a time",
    REQUESTS,
    "this.#killing = killed.catch(() => {});",
    "",
    BOUNDS,
  ],
  [
    "the parent of a call",
    REQUESTS,
    'if (peer.openCall(parent)?.from !== "declared") {',
    "if (parent === undefined) {",
    BOUNDS,
  ],
  [
    "words of plugins in a run",
    REQUESTS,
    'case "say":\n        if (++this.#said > MAX_SAID) return;',
    'case "say":',
    BOUNDS,
  ],
  [
    "notices of plugins in a run",
    REQUESTS,
    'case "notice": {\n        if (++this.#notices > MAX_NOTICES) return;',
    'case "notice": {',
    BOUNDS,
  ],
  [
    "entries that are the program's own",
    REQUESTS,
    "if (customType.startsWith(OWN_PREFIX)) return;",
    "",
    BOUNDS,
  ],
  [
    "what plugins keep",
    REQUESTS,
    "if (this.#kept <= MAX_KEPT) ",
    "",
    BOUNDS,
  ],
  [
    "the depth of a message",
    PROCESS,
    "isNestedDeeper(value, MAX_LEVELS) || ",
    "",
    PROTOCOL,
  ],
  [
    "the schema of a message",
    PROCESS,
    "|| !isKernelMessage(value)",
    "|| value === undefined",
    PROTOCOL,
  ],
  [
    "the number of messages",
    PROCESS,
    "const isMany = this.#take(line.value) && !messages.allows(1);",
    "const isMany = this.#take(line.value) && !messages;",
    DEATH,
  ],
  [
    "the amount of text",
    PROCESS,
    "} else if (!printed.allows(line.text.length + 1)) {",
    "} else if (!printed) {",
    DEATH,
  ],
  [
    "signs of life",
    PROCESS,
    "if (silentMs >= limitMs) {",
    "if (silentMs < 0) {",
    DEATH,
  ],
  [
    "a guard that is left out",
    SESSION,
    "if (!guards(plugin)) continue;",
    "if (guards(plugin)) continue;",
    BLAME,
  ],
];

Deno.test("each check of what a kernel says is missed by a test when it is taken out", async () => {
  const unnoticed: string[] = [];
  for (const [what, file, from, to, test] of REMOVALS) {
    if (await passes(test, { file, from, to })) unnoticed.push(what);
  }
  assert.deepEqual(unnoticed, []);
  // And what they do notice is the change.
  for (const test of [BOUNDS, PROTOCOL, DEATH, BLAME]) {
    assert(await passes(test), `${test} fails without a change`);
  }
});

/** True where a file of tests passes, with the change if there is one. */
async function passes(
  test: string,
  edit?: { file: string; from: string; to: string },
): Promise<boolean> {
  return await withChangedSource(edit ? [edit] : [], async (folder) => {
    const config = folder === undefined
      ? []
      : ["--config", `${folder}/deno.json`];
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...[
          "test",
          "-A",
          "--no-prompt",
          "--quiet",
          "--no-check",
          "--fail-fast",
        ],
        ...[...config, new URL(`../../${test}`, import.meta.url).pathname],
      ],
      stdout: "null",
      stderr: "piped",
      signal: AbortSignal.timeout(60_000),
    }).output();
    const words = new TextDecoder().decode(stderr);
    // A change that does not even load is none that a test notices.
    assert(!/SyntaxError|Module not found|Relative import/.test(words), words);
    return success;
  });
}
