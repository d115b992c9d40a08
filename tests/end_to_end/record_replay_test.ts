import assert from "node:assert/strict";
import type { Api } from "../../src/model/model.ts";
import { atOnce } from "../support/at_once.ts";
import {
  call,
  type Reply,
  say,
  startProviderDouble,
} from "../support/provider_double.ts";
import { denoDir } from "../support/host_run.ts";
import { putFiles } from "../support/put_files.ts";
import {
  jsonLines,
  lastRecord,
  runShell,
  runTau,
  type TauRun,
  withTau,
} from "../support/tau_process.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const KEY = "key-of-the-lab-77";

/** Folders of two users on two machines, and a recording that both have. */
interface Places {
  root: string;
  recording: string;
}

/** Runs in the folder of the one who records, and has a key. */
async function record(
  { root, recording }: Places,
  { api = "openai-completions", script, args = [], prompt = "Look at it" }: {
    api?: Api;
    script: (Reply | (() => Reply))[];
    args?: string[];
    prompt?: string;
  },
): Promise<TauRun> {
  await using double = startProviderDouble({ api, script });
  const models = [{ id: "thinker", reasoning: true }];
  const lab = { baseUrl: double.url, api, apiKeyEnv: "LAB_KEY", models };
  await putFiles(root, {
    "ann/home/settings.json": JSON.stringify({ providers: { lab } }),
  });
  const run = await runTau([
    ...["-p", "--output-format", "json", "--model", "lab/thinker:low"],
    ...["--record", recording, ...args, prompt],
  ], {
    cwd: `${root}/ann/work`,
    env: {
      ...homeOf(`${root}/ann`),
      TAU_HOME: `${root}/ann/home`,
      LAB_KEY: KEY,
    },
  });
  assert.deepEqual(double.requests.flatMap(({ fault }) => fault ?? []), []);
  assert.equal(double.requests.length, script.length, run.stderr);
  return run;
}

/** Runs in the folder of somebody else, who has neither key nor settings. */
function replay(
  { root, recording }: Places,
  { args = [], prompt = "Look at it", format = "json" }: {
    args?: string[];
    prompt?: string;
    format?: string;
  } = {},
): Promise<TauRun> {
  return runTau([
    ...["-p", "--output-format", format, "--replay", recording],
    ...args,
    prompt,
  ], { cwd: `${root}/bob/project`, env: homeOf(`${root}/bob`) });
}

/** Another home, in which Deno finds its packages all the same. */
function homeOf(folder: string): Record<string, string> {
  return { HOME: folder, DENO_DIR: denoDir() };
}

async function inPlaces(
  files: Record<string, string>,
  test: (places: Places) => Promise<void>,
): Promise<void> {
  await inTempFolder(async (root) => {
    for (const folder of ["ann/work", "bob/project"]) {
      await Deno.mkdir(`${root}/${folder}`, { recursive: true });
      await putFiles(`${root}/${folder}`, files);
    }
    await test({ root, recording: `${root}/recording.jsonl` });
  });
}

/** The members of a result record that are the same on every machine. */
function outcome(run: TauRun): unknown {
  const { status, text, model, turns, toolCalls, failedToolCalls, usage } =
    lastRecord(run);
  return { status, text, model, turns, toolCalls, failedToolCalls, usage };
}

async function textOf({ recording }: Places): Promise<string> {
  return await Deno.readTextFile(recording);
}

const APIS: Api[] = [
  "openai-completions",
  "openai-responses",
  "anthropic-messages",
  "google-generative-ai",
];

Deno.test("tau --replay answers what --record recorded, elsewhere and without a key, over each wire format", async () => {
  await atOnce(
    APIS,
    (api) =>
      inPlaces({ "note.txt": "alpha\n" }, async (places) => {
        const recorded = await record(places, {
          api,
          script: [
            {
              say: {
                thinking: "The note.",
                text: "Reading 📝 both ways.",
                calls: [
                  call("read", { path: `${places.root}/ann/work/note.txt` }),
                  call("bash", { command: "pwd; echo $HOME; date; ls -l" }),
                ],
                usage: { input: 70, output: 30 },
              },
            },
            say("It says alpha."),
          ],
        });
        assert.equal(recorded.code, 0, recorded.stderr);
        const replayed = await replay(places);
        assert.equal(replayed.code, 0, replayed.stdout + replayed.stderr);
        assert.deepEqual(outcome(replayed), outcome(recorded));
        assert.equal((await textOf(places)).includes(KEY), false);
        if (api !== "openai-completions") return;
        const asText = await replay(places, { format: "text" });
        assert.equal(asText.stdout, "It says alpha.\n", asText.stderr);
        const asStream = await replay(places, { format: "stream-json" });
        assert.deepEqual(outcome(asStream), outcome(recorded));
        const deltas = jsonLines(asStream).filter(({ type }) =>
          type === "message_update"
        );
        assert(deltas.length > 6, "it is streamed again");
      }),
  );
});

Deno.test("tau --replay finds the full output of a long command where it is now", async () => {
  await inPlaces({}, async (places) => {
    let path = "";
    await using double = startProviderDouble({
      api: "openai-completions",
      script: [
        say("", call("bash", { command: "seq 1 5000" })),
        ({ text }) => {
          path = /Full output: ([^\]]+)\]/.exec(text)?.[1] ?? "";
          return say("", call("bash", { command: `grep -c . ${path}` }));
        },
        say("5000 lines."),
      ],
    });
    const recorded = await runTau([
      ...["-p", "--model", "openai/m", "--record", places.recording, "Count"],
    ], { env: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: double.url } });
    assert.equal(recorded.code, 0, recorded.stderr);
    assert.notEqual(path, "");
    assert.equal((await textOf(places)).includes(path), false);
    const replayed = await replay(places, { prompt: "Count" });
    assert.equal(replayed.code, 0, replayed.stderr);
    assert.equal(lastRecord(replayed).failedToolCalls, 0);
    const again = await replay(places, {
      prompt: "Count",
      args: ["--replay-tools"],
    });
    assert.equal(again.code, 0, again.stderr);
  });
});

Deno.test("tau --record writes no key that a tool prints, and --replay answers those who have it and those who have not", async () => {
  const other = "ghp_abcdefghijklmnopqrstuvwxyz012345";
  const files = { ".env": `LAB_KEY=${KEY}\nGIT=${other}\n` };
  await inPlaces(files, async (places) => {
    const recorded = await record(places, {
      script: [
        say(`I know ${KEY}.`, call("bash", { command: "cat .env" })),
        say(
          "",
          call("write", { path: "a.txt", content: KEY }),
          call("bash", { command: `echo ${KEY} ${other} | wc -w` }),
        ),
        say(`It is ${KEY}.`),
      ],
    });
    assert.equal(recorded.code, 0, recorded.stderr);
    const text = await textOf(places);
    for (const secret of [KEY, KEY.slice(4), other]) {
      assert.equal(text.includes(secret), false, secret);
    }
    const replayed = await replay(places);
    assert.equal(replayed.code, 0, replayed.stderr);
    assert.equal(lastRecord(replayed).text, "It is TAU-SECRET-REMOVED.");
    const withKey = await runTau(
      ["-p", "--replay", places.recording, "Look at it"],
      { cwd: `${places.root}/ann/work`, env: { LAB_KEY: KEY } },
    );
    assert.equal(withKey.code, 0, withKey.stderr);
  });
});

Deno.test("tau --replay ends with 50 and a short difference where the prompt is another one, alike in all formats", async () => {
  await inPlaces({}, async (places) => {
    const script = [say("Yes."), say("No.")];
    await record(places, { script: [script[0]!], prompt: "one\ntwo\nthree" });
    await atOnce(["text", "json", "stream-json"], async (format) => {
      const { code, stdout, stderr } = await replay(places, {
        format,
        prompt: "one\ntwo!\nthree",
      });
      assert.equal(code, 50);
      assert.match(
        stderr,
        /Replay miss: ".*recording.jsonl" has no answer to request 1; .* in line 2, is different:\n--- recorded\n\+\+\+ received\n@@.*@@\n text:\n {3}one\n- {2}two\n\+ {2}two!\n {3}three\n$/,
      );
      if (format === "text") return;
      assert.equal(lastRecord({ stdout }).status, "replay_miss");
    });
  });
});

Deno.test("tau --replay misses where a tool is declared otherwise, and says so", async () => {
  await inPlaces({}, async (places) => {
    await record(places, { script: [say("Yes.")] });
    const run = await replay(places, { args: ["--tools", "read,ls"] });
    assert.equal(run.code, 50);
    assert.match(run.stderr, /^\+ .*ls/m);
    assert(run.stderr.split("\n").length < 90, "the difference is short");
  });
});

Deno.test("tau --replay-tools runs nothing, and gives the results of then", async () => {
  await inPlaces({ "note.txt": "alpha\n" }, async (places) => {
    const recorded = await record(places, {
      script: [
        say(
          "",
          call("bash", { command: "cat note.txt; date +%N; echo x >> made" }),
          call("read", { path: "missing" }),
        ),
        say(
          "",
          call("bash", { command: "cat note.txt; date +%N; echo x >> made" }),
        ),
        say("Done."),
      ],
      args: ["--check", "test -s made"],
    });
    assert.equal(recorded.code, 0, recorded.stderr);
    await Deno.remove(`${places.root}/bob/project/note.txt`);
    const args = ["--check", "test -s made"];
    const replayed = await replay(places, {
      args: [...args, "--replay-tools"],
    });
    assert.equal(replayed.code, 0, replayed.stderr);
    assert.deepEqual(outcome(replayed), outcome(recorded));
    assert.deepEqual([...Deno.readDirSync(`${places.root}/bob/project`)], []);
    const withTools = await replay(places, { args });
    assert.equal(withTools.code, 50, "what the tools say now is different");
  });
});

Deno.test("tau --replay-tools ends with 50 at a call that has no recorded result", async () => {
  await inPlaces({}, async (places) => {
    await record(places, {
      script: [
        say("", call("bash", { command: "echo 1; sleep 0" })),
        say("Done."),
      ],
    });
    const lines = (await textOf(places)).split("\n")
      .filter((line) => !line.startsWith('{"type":"result"'));
    await Deno.writeTextFile(places.recording, lines.join("\n"));
    const run = await replay(places, { args: ["--replay-tools"] });
    assert.equal(run.code, 50, run.stderr);
    assert.equal(lastRecord(run).status, "replay_miss");
    assert.match(
      lastRecord(run).error?.message ?? "",
      /^Replay miss: ".*" has no result of the call bash \{"command":"echo 1; sleep 0"\}$/,
    );
  });
});

Deno.test("tau --replay gives the answers to the same request in their order, also those that failed, without a wait", async () => {
  const busy: Reply = {
    status: 429,
    headers: { "retry-after-ms": "900" },
    body: JSON.stringify({ error: { message: "slow" } }),
  };
  await inPlaces({}, async (places) => {
    await record(places, { script: [busy, say("At last.")] });
    const run = await replay(places, { format: "stream-json" });
    assert.equal(run.code, 0, run.stderr);
    assert.equal(lastRecord(run).text, "At last.");
    const [retry] = jsonLines(run).filter(({ type }) =>
      type === "auto_retry_start"
    ) as { delayMs?: number }[];
    assert((retry?.delayMs ?? Infinity) < 10);
  });
});

Deno.test("tau --record leaves a recording that can be replayed when it is killed", async () => {
  await inPlaces({}, async (places) => {
    await using double = startProviderDouble({
      api: "openai-completions",
      script: [
        say("", call("bash", { command: "echo one" })),
        { hang: true },
      ],
    });
    await withTau(
      [
        ...["-p", "--output-format", "stream-json", "--model", "openai/m"],
        ...["--record", places.recording, "Look at it"],
      ],
      { env: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: double.url } },
      async (tau) => {
        await tau.printed(/"tool_execution_end"/);
        tau.signal("SIGKILL");
        await tau.ended();
      },
    );
    const half = (await textOf(places)).trimEnd();
    assert.equal(half.split("\n").length, 3);
    const run = await replay(places);
    assert.equal(run.code, 50, run.stderr);
    assert.match(run.stderr, /has no answer to request 2/);
    await Deno.writeTextFile(places.recording, half.slice(0, -5));
    const cut = await replay(places);
    assert.equal(cut.code, 50);
    assert.match(cut.stderr, /tau: The last line of ".*" is not whole/);
  });
});

Deno.test("tau --record overwrites recordings and nothing else, and only when there is something to record", async () => {
  await inPlaces({}, async (places) => {
    const { recording } = places;
    await record(places, { script: [say("One.")] });
    const first = await textOf(places);
    const refused = await runTau(
      ["-p", "--model", "openai/m", "--record", recording, "Look at it"],
    );
    assert.equal(refused.code, 10, "there is no key");
    assert.equal(await textOf(places), first);
    await record(places, { script: [say("Two.")] });
    assert.equal(lastRecord(await replay(places)).text, "Two.");
    assert.equal(((await Deno.stat(recording)).mode ?? 0) & 0o777, 0o600);

    const source = `${places.root}/main.c`;
    await Deno.writeTextFile(source, "int main() {}\n");
    const run = await runTau(["-p", "--record", source, "Look at it"], {
      env: { OPENAI_API_KEY: KEY },
    });
    assert.equal(run.code, 2);
    assert.equal(
      run.stderr,
      `tau: Cannot record to ${
        JSON.stringify(source)
      }: it exists and is not a recording\n`,
    );
    assert.equal(await Deno.readTextFile(source), "int main() {}\n");
  });
});

Deno.test("tau --record does not write into its own output", async () => {
  const { code, stderr, stdout } = await runShell(
    "tau -p --record out.jsonl go > out.jsonl; code=$?; cat out.jsonl; exit $code",
    { env: { OPENAI_API_KEY: KEY } },
  );
  assert.equal(code, 2);
  assert.equal(stdout, "");
  assert.equal(
    stderr,
    'tau: Cannot record to "out.jsonl": the output of tau goes there\n',
  );
});

Deno.test("tau --replay knows a home folder that is a link by its real path, too", async () => {
  await inPlaces({}, async (places) => {
    await Deno.rename(`${places.root}/ann`, `${places.root}/disk`);
    await Deno.symlink("disk", `${places.root}/ann`);
    const script = [
      say("Looking.", call("bash", { command: 'realpath "$HOME" || true' })),
      say("Seen."),
    ];
    // A sandbox has a folder of its own in that place.
    const args = ["--sandbox", "off"];
    await record(places, { script, args });
    const run = await replay(places, { args });
    assert.equal(lastRecord(run).text, "Seen.", run.stderr);
  });
});
