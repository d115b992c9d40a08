import assert from "node:assert/strict";
import {
  call,
  type ProviderDouble,
  type Reply,
  say,
  startProviderDouble,
} from "../support/provider_double.ts";
import {
  inEachFormat,
  jsonLines,
  lastRecord,
  runTau,
  type TauRun,
} from "../support/tau_process.ts";
import { inTempFolder } from "../support/temp_folder.ts";

/** Runs tau in a folder against a script; it asks the double nothing else. */
async function ask(
  script: Reply[],
  args: string[],
  { cwd, files = {} }: { cwd: string; files?: Record<string, string> },
): Promise<{ run: TauRun; double: ProviderDouble }> {
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${cwd}/${name}`, text);
  }
  await using double = startProviderDouble({
    api: "openai-completions",
    script,
  });
  const run = await runTau(["-p", ...args, "go"], {
    cwd,
    env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: double.url },
  });
  assert.deepEqual(double.requests.flatMap(({ fault }) => fault ?? []), []);
  assert.equal(double.requests.length, script.length);
  assert.deepEqual([run.left, run.tempLeft], [[], []]);
  assert.doesNotMatch(run.stderr, /^\s+at .*:\d+:\d+/m);
  return { run, double };
}

/** The text of the last message of a request. */
function lastMessage({ requests }: ProviderDouble, index: number): string {
  const body = requests[index]?.body as { messages: { content: unknown }[] };
  return String(body.messages.at(-1)?.content);
}

const SCHEMA = JSON.stringify({
  type: "object",
  properties: { answer: { type: "integer" } },
  required: ["answer"],
  additionalProperties: false,
});
const files = { "schema.json": SCHEMA };
const SCHEMA_ARGS = ["--output-schema", "schema.json"];

Deno.test("tau --check tells the model how the command failed and completes when it passes", async () => {
  await inTempFolder(async (cwd) => {
    const { run, double } = await ask(
      [
        say("Done."),
        say("", call("write", { path: "made", content: "x" })),
        say("Now it is there."),
      ],
      [
        "--output-format",
        "stream-json",
        "--check",
        "echo looking for made; test -e made",
      ],
      { cwd },
    );
    assert.equal(run.code, 0, run.stderr);
    assert.equal(lastRecord(run).text, "Now it is there.");
    const told = lastMessage(double, 1);
    assert.match(told, /\$ echo looking for made; test -e made\nlooking for/);
    assert.match(told, /Command exited with code 1/);
    const checks = jsonLines(run).filter(({ type }) => type === "check_end");
    assert.deepEqual(
      checks.map((event) => (event as unknown as { passed: boolean }).passed),
      [false, true],
    );
  });
});

Deno.test("tau --check that keeps failing ends alike in all output formats", async () => {
  await inEachFormat((format) =>
    inTempFolder(async (cwd) => {
      const { run } = await ask(
        [say("Done."), say("Still done.")],
        [
          "--output-format",
          format,
          "--check",
          "seq 1 9000; exit 3",
          "--check-retries=1",
          "--tools",
          "read",
        ],
        { cwd },
      );
      assert.equal(run.code, 41, run.stderr);
      assert.match(run.stderr, /The check fails: seq 1 9000; exit 3: .*code 3/);
      if (format === "text") {
        assert.match(run.stderr, /tau: check failed\ntau: 899\d\n/);
        return assert.equal(run.stdout, "Still done.\n");
      }
      const result = lastRecord(run);
      assert.equal(result.status, "check_failed");
      assert.equal(result.text, "Still done.");
      // What nobody asked for again is not asked for: two answers, two checks.
      assert.equal(result.turns, 2);
    })
  );
});

Deno.test("tau --check ends with the run when its time is over", async () => {
  await inTempFolder(async (cwd) => {
    const { run } = await ask(
      [say("Done.")],
      ["--check", "sleep 300", "--timeout", "2s"],
      { cwd },
    );
    assert.equal(run.code, 22, run.stderr);
    assert(run.durationMs < 8000, `it took ${run.durationMs} ms`);
  });
});

Deno.test("tau --output-schema asks again for what does not fit and prints the JSON alone", async () => {
  await inTempFolder(async (cwd) => {
    const { run, double } = await ask(
      [
        say("The answer is 42."),
        say('{"answer":"42"}'),
        say('Here it is:\n```json\n{ "answer": 42 }\n```\n'),
      ],
      [...SCHEMA_ARGS, "-o", "out.json"],
      { cwd, files },
    );
    assert.equal(run.code, 0, run.stderr);
    assert.equal(run.stdout, '{"answer":42}\n');
    assert.equal(await Deno.readTextFile(`${cwd}/out.json`), run.stdout);
    assert.match(double.requests[0]?.text ?? "", /output_schema/);
    assert.match(lastMessage(double, 1), /Expected JSON, alone or in one/);
    assert.match(
      lastMessage(double, 2),
      /answer: Expected integer, got string/,
    );
  });
});

Deno.test("tau --output-schema that the model never fits ends alike in all output formats", async () => {
  await inEachFormat((format) =>
    inTempFolder(async (cwd) => {
      const { run } = await ask(
        [say("One"), say("Two"), say("Three")],
        [...SCHEMA_ARGS, "--output-format", format, "-o", "out.json"],
        { cwd, files: { ...files, "out.json": "old" } },
      );
      assert.equal(run.code, 40, run.stderr);
      assert.match(run.stderr, /does not fit the output schema: Expected JSON/);
      assert.equal(await Deno.readTextFile(`${cwd}/out.json`), "old");
      if (format === "text") return assert.equal(run.stdout, "Three\n");
      const result = lastRecord(run);
      assert.equal(result.status, "schema_failed");
      assert(!("structured" in result));
    })
  );
});

Deno.test("tau looks at the check before the schema, and again only after new work", async () => {
  await inTempFolder(async (cwd) => {
    const { run } = await ask(
      [
        say("", call("write", { path: "made", content: "x" })),
        say("Made."),
        say('{"answer":1}'),
      ],
      [
        ...SCHEMA_ARGS,
        "--output-format",
        "json",
        "--check",
        "echo run >>checks; test -e made",
      ],
      { cwd, files },
    );
    assert.equal(run.code, 0, run.stderr);
    assert.deepEqual(lastRecord(run).structured, { answer: 1 });
    assert.equal(await Deno.readTextFile(`${cwd}/checks`), "run\n");
  });
});

Deno.test("tau makes no request past --max-turns for a goal that is missed", async () => {
  await inTempFolder(async (cwd) => {
    const { run } = await ask(
      [say("No JSON.")],
      [...SCHEMA_ARGS, "--output-format", "json", "--max-turns", "1"],
      { cwd, files },
    );
    assert.equal(run.code, 20, run.stderr);
    assert.equal(lastRecord(run).status, "turn_limit");
  });
});

Deno.test("tau -o writes the answer of a run that completed, and nothing of another", async () => {
  await inTempFolder(async (cwd) => {
    const out = `${cwd}/out.txt`;
    const done = await ask([say("Line\n")], ["-o", "out.txt"], { cwd });
    assert.equal(done.run.code, 0, done.run.stderr);
    assert.equal(await Deno.readTextFile(out), "Line\n");
    const error = JSON.stringify({ error: { message: "no such model" } });
    const failed = await ask(
      [{ status: 404, body: error }],
      ["-o", "out.txt"],
      { cwd },
    );
    assert.equal(failed.run.code, 12, failed.run.stderr);
    assert.equal(await Deno.readTextFile(out), "Line\n");
    assert.deepEqual([...Deno.readDirSync(cwd)].map(({ name }) => name), [
      "out.txt",
    ]);
  });
});

Deno.test("tau -o is not led astray by a link that the run made", async () => {
  await inTempFolder(async (cwd) => {
    const secret = `${cwd}/outside.txt`;
    const work = `${cwd}/work`;
    await Deno.writeTextFile(secret, "safe");
    await Deno.mkdir(`${work}/out`, { recursive: true });
    const linked = await ask(
      [
        say("", call("bash", { command: "ln -s ../outside.txt answer.txt" })),
        say("evil"),
      ],
      ["-o", "answer.txt"],
      { cwd: work },
    );
    assert.equal(linked.run.code, 0, linked.run.stderr);
    assert.equal(await Deno.readTextFile(`${work}/answer.txt`), "evil\n");
    const moved = await ask(
      [
        say("", call("bash", { command: "rmdir out && ln -s .. out" })),
        say("evil"),
      ],
      ["-o", "out/outside.txt", "--output-format", "json"],
      { cwd: work },
    );
    assert.equal(moved.run.code, 1);
    assert.equal(lastRecord(moved.run).status, "internal_error");
    assert.match(
      moved.run.stderr,
      /Cannot write the answer to "out\/outside.txt": its folder was moved/,
    );
    assert.equal(await Deno.readTextFile(secret), "safe");
  });
});
