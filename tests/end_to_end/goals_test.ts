import assert from "node:assert/strict";
import { call, type Reply, say } from "../support/provider_double.ts";
import { inPlace, type TauPlace } from "../support/tau_place.ts";
import {
  inEachFormat,
  jsonLines,
  lastRecord,
  type TauRun,
} from "../support/tau_process.ts";

/** Runs tau, which asks for each answer of the script and for no other. */
async function ask(
  { script, args, files = {} }: {
    script: Reply[];
    args: string[];
    files?: Record<string, string>;
  },
  look: (run: TauRun, place: TauPlace) => Promise<void> | void,
): Promise<void> {
  await inPlace({ script, files }, async (place) => {
    const run = await place.ask([...args, "go"]);
    assert.equal(place.requests.length, script.length);
    assert.deepEqual([run.left, run.tempLeft], [[], []]);
    assert.doesNotMatch(run.stderr, /^\s+at .*:\d+:\d+/m);
    await look(run, place);
  });
}

const SCHEMA = JSON.stringify({
  type: "object",
  properties: { answer: { type: "integer" } },
  required: ["answer"],
  additionalProperties: false,
});
const files = { "work/schema.json": SCHEMA };
const SCHEMA_ARGS = ["--output-schema", "schema.json"];

Deno.test("tau --check tells the model how the command failed and completes when it passes", async () => {
  await ask({
    script: [
      say("Done."),
      say("", call("write", { path: "made", content: "x" })),
      say("Now it is there."),
    ],
    args: [
      ...["--output-format", "stream-json"],
      ...["--check", "echo looking for made; test -e made"],
    ],
  }, (run, { request }) => {
    assert.equal(run.code, 0, run.stderr);
    assert.equal(lastRecord(run).text, "Now it is there.");
    const told = request(1).last("user");
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
    ask({
      script: [say("Done."), say("Still done.")],
      args: [
        ...["--output-format", format, "--check", "seq 1 9000; exit 3"],
        ...["--check-retries=1", "--tools", "read"],
      ],
    }, (run) => {
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
  await ask({
    script: [say("Done.")],
    args: ["--check", "sleep 300", "--timeout", "2s"],
  }, (run) => {
    assert.equal(run.code, 22, run.stderr);
    assert(run.durationMs < 8000, `it took ${run.durationMs} ms`);
  });
});

Deno.test("tau --output-schema asks again for what does not fit and prints the JSON alone", async () => {
  await ask({
    script: [
      say("The answer is 42."),
      say('{"answer":"42"}'),
      say('Here it is:\n```json\n{ "answer": 42 }\n```\n'),
    ],
    args: [...SCHEMA_ARGS, "-o", "out.json"],
    files,
  }, async (run, { request, cwd }) => {
    assert.equal(run.code, 0, run.stderr);
    assert.equal(run.stdout, '{"answer":42}\n');
    assert.equal(await Deno.readTextFile(`${cwd}/out.json`), run.stdout);
    assert.match(request(0).text, /output_schema/);
    assert.match(request(1).last("user"), /Expected JSON, alone or in one/);
    assert.match(
      request(2).last("user"),
      /answer: Expected integer, got string/,
    );
  });
});

Deno.test("tau --output-schema that the model never fits ends alike in all output formats", async () => {
  await inEachFormat((format) =>
    ask({
      script: [say("One"), say("Two"), say("Three")],
      args: [...SCHEMA_ARGS, "--output-format", format, "-o", "out.json"],
      files: { ...files, "work/out.json": "old" },
    }, async (run, { cwd }) => {
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

Deno.test("tau -o writes the answer of a run that completed, and nothing of another", async () => {
  const error = JSON.stringify({ error: { message: "no such model" } });
  await inPlace({
    script: [say("Line\n"), { status: 404, body: error }],
  }, async ({ ask, cwd }) => {
    for (const code of [0, 12]) {
      const run = await ask(["-o", "out.txt", "go"]);
      assert.equal(run.code, code, run.stderr);
      assert.equal(await Deno.readTextFile(`${cwd}/out.txt`), "Line\n");
    }
    const names = [...Deno.readDirSync(cwd)].map(({ name }) => name);
    assert.deepEqual(names.sort(), ["note.txt", "out.txt"]);
  });
});

Deno.test("tau -o is not led astray by a link that the run made", async () => {
  const bash = (command: string) => say("", call("bash", { command }));
  await inPlace({
    script: [
      bash("ln -s ../outside.txt answer.txt"),
      say("evil"),
      bash("rmdir out && ln -s .. out"),
      say("evil"),
    ],
    files: { "outside.txt": "safe" },
  }, async ({ ask, cwd, root }) => {
    await Deno.mkdir(`${cwd}/out`);
    const linked = await ask(["-o", "answer.txt", "go"]);
    assert.equal(linked.code, 0, linked.stderr);
    assert.equal(await Deno.readTextFile(`${cwd}/answer.txt`), "evil\n");
    const args = ["-o", "out/outside.txt", "--output-format", "json"];
    const moved = await ask([...args, "go"]);
    assert.equal(moved.code, 1);
    assert.equal(lastRecord(moved).status, "internal_error");
    assert.match(
      moved.stderr,
      /Cannot write the answer to "out\/outside.txt": its folder was moved/,
    );
    assert.equal(await Deno.readTextFile(`${root}/outside.txt`), "safe");
  });
});
