import assert from "node:assert/strict";
import type { RunFlags } from "../../../src/cli/options/option_table.ts";
import { parseArguments } from "../../../src/cli/options/parse_arguments.ts";
import {
  readAnswerSchema,
  readConfiguration,
  recordingOptions,
  sessionChoice,
  sessionOptions,
} from "../../../src/cli/options/run_options.ts";
import { proxySource } from "../../../src/host/proxy_source.ts";
import type { SessionChoice } from "../../../src/host/run_session.ts";
import { UsageError } from "../../../src/settings/usage_error.ts";
import { putFiles } from "../../support/put_files.ts";
import { inTempFolder } from "../../support/temp_folder.ts";

async function flagsOf(args: string[]): Promise<RunFlags> {
  const line = await parseArguments([...args, "go"]);
  return line.given as RunFlags;
}

Deno.test("readConfiguration() puts each option where the run looks for it", async () => {
  const flags = await flagsOf([
    ...["-C", "/", "--model", "m", "--timeout", "2", "--fail-on-denied"],
    ...["--max-turns", "3", "--max-tool-calls", "0", "--max-repeats", "0"],
    ...["--max-budget-usd", "2.50", "--on-limit", "summarize"],
    ...["--max-retries", "0", "-t", "read", "--exclude-tools", "bash"],
    ...["--profile", "full", "--sandbox", "off", "--add-dir", "a"],
    ...["--allow-read", "b", "--allow-write", "c", "--allow-net=d.com"],
    ...["--pass-env", "E,F", "--pass-env", "G", "--system-prompt", "h"],
    ...["--append-system-prompt", "i", "--no-context-files"],
    ...["--allow-tool", "read", "--deny-tool", "bash", "--no-plugins"],
    ...["--plugin-flag", "j", "--plugin-flag", "k=l"],
  ]);
  const { options, warnings } = await readConfiguration(flags, {
    env: {},
    attachments: ["m.txt"],
  });
  assert.deepEqual(warnings, []);
  const { context, rules, ...others } = options;
  const { isTrusted, ...told } = context ?? assert.fail();
  assert.equal(isTrusted(), false);
  assert.deepEqual(told, {
    systemPrompt: "h",
    appendSystemPrompt: "i",
    attachments: ["m.txt"],
    instructionFiles: false,
    home: undefined,
    project: undefined,
  });
  assert.deepEqual(
    rules?.map(({ effect, text }) => `${effect} ${text}`),
    ["deny bash", "allow read"],
  );
  assert.deepEqual(others, {
    cwd: "/",
    model: "m",
    timeoutMs: 2000,
    failOnDenied: true,
    limits: {
      maxTurns: 3,
      maxToolCalls: 0,
      maxRepeats: 0,
      maxBudgetUsd: 2.5,
      onLimit: "summarize",
    },
    maxRetries: 0,
    tools: ["read"],
    excludeTools: ["bash"],
    permissions: {
      profile: "full",
      sandbox: "off",
      addDirs: ["a"],
      allowRead: ["b"],
      allowWrite: ["c"],
      net: ["d.com"],
      passEnv: ["E", "F", "G"],
      unixSockets: undefined,
    },
    plugins: {
      paths: [],
      folders: [],
      isProjectTrusted: false,
      flagValues: { j: true, k: "l" },
    },
    defaultModel: undefined,
    providers: undefined,
    compaction: undefined,
    bashTimeoutMs: undefined,
  });
});

Deno.test("readConfiguration() takes an option before a setting", async () => {
  await inTempFolder(async (TAU_HOME) => {
    const settings = {
      tools: ["read", "ls"],
      retry: { maxRetries: 7 },
      permissions: { ask: ["bash"] },
    };
    await putFiles(TAU_HOME, { "settings.json": JSON.stringify(settings) });
    const chosen = async (args: string[]) => {
      const { options } = await readConfiguration(await flagsOf(args), {
        env: { TAU_HOME },
      });
      const { tools, maxRetries, rules = [] } = options;
      return { tools, maxRetries, rules: rules.map(({ text }) => text) };
    };
    assert.deepEqual(await chosen([]), {
      tools: ["read", "ls"],
      maxRetries: 7,
      rules: ["bash"],
    });
    assert.deepEqual(
      await chosen(["-t", "grep", "--max-retries=0", "--allow-tool", "ls"]),
      { tools: ["grep"], maxRetries: 0, rules: ["ls", "bash"] },
    );
    // A profile that writes nothing has tools of its own.
    const { tools } = await chosen(["--profile", "read-only"]);
    assert.equal(tools, undefined);
  });
});

Deno.test("sessionOptions() has a check with its retries only where there is one", async () => {
  const checkOf = async (...args: string[]) =>
    (await sessionOptions(await flagsOf(args), {
      env: {},
      kernel: { entry: new URL("file:///kernel.ts") },
    })).options.goals?.check;
  assert.equal(await checkOf(), undefined);
  assert.deepEqual(await checkOf("--check", "x"), { command: "x", retries: 2 });
  assert.deepEqual(await checkOf("--check", "x", "--check-retries", "0"), {
    command: "x",
    retries: 0,
  });
});

Deno.test("sessionChoice() is a new session, an earlier one, a copy, or none", async () => {
  const table: [string[], SessionChoice | undefined][] = [
    [[], {}],
    [["-c"], { resume: { latest: true }, fork: false }],
    [["--continue", "--fork"], { resume: { latest: true }, fork: true }],
    [["-r", "0F0e"], { resume: { id: "0F0e" }, fork: false }],
    [["--session", "a b"], { resume: { file: "a b" }, fork: false }],
    [["--no-session"], undefined],
  ];
  for (const [args, choice] of table) {
    assert.deepEqual(
      sessionChoice(await flagsOf(args)),
      choice,
      args.join(" "),
    );
  }
});

Deno.test("recordingOptions() and readAnswerSchema() say why a file cannot be used", async () => {
  await inTempFolder(async (folder) => {
    await putFiles(folder, {
      "recording.jsonl": "text",
      "schema.json": '\ufeff{"type":"object","properties":{}}',
      "empty.json": "",
      "quotes.json": "{'type': 'object'}",
      "list.json": "[]",
      "true.json": "true",
      "unknown.json": '{"type":"objekt"}',
      "keyword.json": '{"properties":{"a":{"contains":{}}}}',
      "large.json": `{"description":"${"x".repeat(256 * 1024)}"}`,
    });
    const huge = await Deno.open(`${folder}/huge`, {
      write: true,
      create: true,
    });
    await huge.truncate(64 * 1024 * 1024 + 1);
    huge.close();
    const name = `${folder}/recording.jsonl`;
    assert.deepEqual(
      await recordingOptions({ replay: name, "replay-tools": true }),
      { replay: { text: "text", name, tools: true } },
    );
    assert.deepEqual(await recordingOptions({ record: "r" }), { record: "r" });
    const { schema, read } = await readAnswerSchema(`${folder}/schema.json`);
    assert.deepEqual(schema, { type: "object", properties: {} });
    assert.deepEqual(read('{"a":1}'), { value: { a: 1 } });
    assert.match(read("1").faults?.[0] ?? "", /object/);
    const refusals: [() => Promise<unknown>, RegExp][] = [
      ...([
        ["none", /Cannot read the recording ".*none": it does not exist$/],
        [".", /it is not a regular file$/],
        ["huge", /it is larger than 64 MiB$/],
      ] as const).map(([name, message]): [() => Promise<unknown>, RegExp] => [
        () => recordingOptions({ replay: `${folder}/${name}` }),
        message,
      ]),
      ...([
        ["none", /Cannot use the output schema ".*none": it does not exist$/],
        [".", /it is not a regular file$/],
        ["empty.json", /not JSON: /],
        ["quotes.json", /not JSON: /],
        ["list.json", /Expected a schema: an object/],
        ["true.json", /it is not a JSON object$/],
        ["unknown.json", /\(at #/],
        ["keyword.json", /contains.*\(at #\/properties\/a/],
        ["large.json", /it is larger than 256 KiB$/],
      ] as const).map(([name, message]): [() => Promise<unknown>, RegExp] => [
        () => readAnswerSchema(`${folder}/${name}`),
        message,
      ]),
    ];
    for (const [refused, message] of refusals) {
      await assert.rejects(
        refused(),
        (error: Error) =>
          error instanceof UsageError && message.test(error.message) ||
          assert.fail(`${error.message} is not ${message}`),
      );
    }
  });
});

Deno.test("proxySource() is there where the environment names a proxy and a token", async () => {
  const TAU_PROXY_URL = "https://proxy.test/x";
  assert.equal(await proxySource({}), undefined);
  assert.equal(await proxySource({ TAU_PROXY_TOKEN: "t" }), undefined);
  assert.equal(await proxySource({ TAU_PROXY_URL: "" }), undefined);
  const source = await proxySource({ TAU_PROXY_URL, TAU_PROXY_TOKEN: "t" });
  assert.equal(typeof source, "function");
  await assert.rejects(proxySource({ TAU_PROXY_URL }), UsageError);
  for (const url of ["proxy.test", "ftp://x", "/x"]) {
    const env = { TAU_PROXY_URL: url, TAU_PROXY_TOKEN: "t" };
    await assert.rejects(proxySource(env), UsageError);
  }
});
