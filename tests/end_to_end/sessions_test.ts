import assert from "node:assert/strict";
import { denoDir } from "../support/host_run.ts";
import { needing } from "../support/needs.ts";
import { call, say, startProviderDouble } from "../support/provider_double.ts";
import { inSessionFolder } from "../support/session_folder.ts";
import { lastRecord, runTau, warningsOf } from "../support/tau_process.ts";
import { inTempFolder } from "../support/temp_folder.ts";

interface WireMessage {
  role: string;
  content: unknown;
  tool_call_id?: string;
}

/** The messages of a request, the system prompt left out. */
function sent({ body }: { body: unknown }): WireMessage[] {
  const { messages } = body as { messages: WireMessage[] };
  return messages.filter(({ role }) => role !== "system");
}

function texts(request: { body: unknown }): unknown[] {
  return sent(request).map(({ content }) => content);
}

Deno.test("tau answers calls that a killed run left open before it goes on, each time", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [
      say(
        "",
        call("bash", { command: "echo one" }, "k1"),
        call("bash", { command: "sleep 600" }, "k2"),
      ),
      say("ok"),
      say("again"),
    ],
  });
  await inSessionFolder(double, async ({ tau, during, only }) => {
    await during(
      ["-p", "--output-format", "stream-json", "go"],
      async (run) => {
        await run.printed(/"tool_execution_end","toolCallId":"k1"/);
        run.signal("SIGKILL");
        await run.ended();
      },
    );
    const resumed = await tau("-p", "-c", "go on");
    assert.equal(resumed.code, 0, resumed.stderr);
    const [, , first, second, last] = sent(double.requests[1]!);
    assert.deepEqual(first, {
      role: "tool",
      tool_call_id: "k1",
      content: "one\n",
    });
    assert.equal(second?.tool_call_id, "k2");
    assert.match(String(second?.content), /Interrupted/);
    assert.deepEqual(last, { role: "user", content: "go on" });

    const again = await tau("-p", "-c", "and on");
    assert.equal(again.code, 0, again.stderr);
    assert.deepEqual(
      sent(double.requests[2]!).slice(0, 5),
      sent(double.requests[1]!),
    );
    assert.equal(
      only().entries.filter((entry) =>
        entry.type === "message" && entry.message.role === "toolResult"
      ).length,
      2,
    );
  });
  assert.deepEqual(double.requests.map(({ fault }) => fault), [
    undefined,
    undefined,
    undefined,
  ]);
});

Deno.test("tau goes on after answers that said nothing", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [{ body: "" }, say(" \n"), say("ok")],
  });
  await inSessionFolder(double, async ({ tau, only }) => {
    const failed = await tau("-p", "--max-retries", "0", "first");
    assert.equal(failed.code, 11, failed.stderr);
    assert.equal((await tau("-p", "-c", "second")).code, 0);
    assert.equal((await tau("-p", "-c", "third")).code, 0);
    const content = JSON.stringify(texts(double.requests[2]!));
    assert.match(content, /first.*second.*third/);
    assert.equal(only().damagedLines, 0);
  });
  assert(double.requests.every(({ fault }) => fault === undefined));
});

Deno.test("tau goes on with a session from another folder, with its model, and says where it is now", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [say("one"), say("two")],
  });
  await inSessionFolder(double, async ({ tau, only, env }) => {
    await tau("-p", "--model", "openai/gpt-x:low", "first");
    const { header, path } = only();
    await inTempFolder(async (cwd) => {
      const args = ["-p", "--output-format", "json", "-r"];
      const id = (header?.id ?? "").slice(0, 8);
      const run = await runTau([...args, id, "second"], { cwd, env });
      assert.equal(run.code, 0, run.stderr);
      const { sessionId, session, model } = lastRecord(run);
      assert.equal(sessionId, header?.id);
      assert.deepEqual(session, { file: path, stored: true });
      assert.equal(model, "openai/gpt-x");
      const { text } = double.requests[1]!;
      assert(text.includes(`<cwd>\\n${cwd}\\n</cwd>`));
      assert(!text.includes(header?.cwd ?? "?"));
    });
    assert.deepEqual(texts(double.requests[1]!), ["first", "one", "second"]);
    assert.equal(only().header?.id, header?.id);
  });
  const level = (request: { body: unknown } | undefined) =>
    (request?.body as { reasoning_effort?: string }).reasoning_effort;
  assert.deepEqual(double.requests.map(level), ["low", "low"]);
});

Deno.test("tau --fork goes on with a copy, --session with a file, --no-session with nothing", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: ["one", "two", "three", "four", "five"].map((text) => say(text)),
  });
  await inSessionFolder(double, async ({ tau, files, cwd, only }) => {
    await tau("-p", "--no-session", "unheard");
    assert.deepEqual(files(), []);

    await tau("-p", "first");
    const { path } = only();
    const before = await Deno.readTextFile(path);
    await tau("-p", "-c", "--fork", "aside");
    assert.equal(await Deno.readTextFile(path), before);
    assert.equal(files().length, 2);
    assert.deepEqual(texts(double.requests[2]!), ["first", "two", "aside"]);

    for (const prompt of ["begin", "go on"]) {
      const run = await tau("-p", "--session", "my own.jsonl", prompt);
      assert.equal(run.code, 0, run.stderr);
    }
    assert.deepEqual(texts(double.requests[4]!), ["begin", "four", "go on"]);
    assert.equal((await Deno.stat(`${cwd}/my own.jsonl`)).mode! & 0o777, 0o600);
    assert.equal(files().length, 2);
  });
});

Deno.test("tau refuses a session that another run has open, and opens it once that was killed", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [say("one"), { hang: true }, say("aside"), say("after")],
  });
  await inSessionFolder(double, async ({ tau, during, only, files }) => {
    await tau("-p", "first");
    const id = only().header?.id ?? "";
    await during(
      ["-p", "--output-format", "stream-json", "-r", id, "left"],
      async (run) => {
        await run.printed(/"content":"left"/);
        const refused = await tau(
          "-p",
          "--output-format",
          "json",
          "-r",
          id,
          "right",
        );
        assert.equal(refused.code, 2);
        assert.match(
          lastRecord(refused).error?.message ?? "",
          /in use by another run/,
        );
        assert.match(refused.stderr, /in use by another run/);
        assert.equal((await tau("sessions", "rm", id)).code, 2);
        assert.equal((await tau("-p", "-r", id, "--fork", "aside")).code, 0);
        run.signal("SIGKILL");
        await run.ended();
      },
    );
    const after = await tau("-p", "-r", id, "after");
    assert.equal(after.code, 0, after.stderr);
    assert.equal(files().length, 2);
  });
  const said = JSON.stringify(texts(double.requests[3]!));
  assert.match(said, /first.*one.*left.*after/);
  assert.doesNotMatch(said, /right|aside/);
});

Deno.test("tau goes on without a session where none can be written, and says so", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [1, 2, 3].map(() =>
      say("", call("bash", { command: 'echo "file:$TAU_SESSION_FILE"' }))
    ).flatMap((reply) => [reply, say("done")]),
  });
  await inSessionFolder(double, async ({ cwd, env, home }) => {
    await Deno.writeTextFile(`${cwd}/file`, "");
    const homes: [Record<string, string>, RegExp][] = [
      [{ TAU_HOME: `${cwd}/file` }, /Cannot store the session in /],
      [{ TAU_HOME: "/proc/tau" }, /Cannot store the session in /],
      [
        { TAU_HOME: "", HOME: "", USERPROFILE: "" },
        /The session is not stored: neither TAU_HOME nor HOME/,
      ],
    ];
    for (const [changes, message] of homes) {
      const run = await runTau(["-p", "--output-format", "json", "go"], {
        cwd,
        env: { ...env, DENO_DIR: denoDir(), ...changes },
      });
      assert.equal(run.code, 0, run.stderr);
      assert.deepEqual(lastRecord(run).session, { stored: false });
      const [line = "", ...others] = warningsOf(run);
      assert.match(line, message);
      assert.deepEqual(others, []);
      assert(double.requests.at(-1)?.text.includes("file:\\n"));
    }
    assert.throws(() => Deno.statSync(home), Deno.errors.NotFound);
  });
});

Deno.test("tau stores what it can of a session that fills the disk, and says that it is not all", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [say("x".repeat(40_000)), say("after")],
  });
  await inSessionFolder(double, async ({ cwd, env, only, tau }) => {
    const { runShell } = await import("../support/tau_process.ts");
    const run = await runShell(
      // The limit is that of the host alone: its child resets nothing.
      `trap '' XFSZ; ulimit -f 24; tau -p --output-format json "first"`,
      { cwd, env },
    );
    assert.equal(run.code, 0, run.stderr);
    const { session, text } = lastRecord(run);
    assert.equal(session.stored, false);
    assert.equal(session.file, only().path);
    assert.equal(text.length, 40_000);
    assert.equal(run.stderr.match(/Cannot store the session/g)?.length, 1);

    assert.equal((await tau("-p", "-c", "second")).code, 0);
    const said = JSON.stringify(texts(double.requests[1]!));
    assert.match(said, /first.*second/);
    assert.doesNotMatch(said, /xxx/);
  });
});

Deno.test("tau names the session's file to commands, and keeps keys out of it", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [
      say(
        "",
        call("bash", { command: 'env; cat "$TAU_SESSION_FILE" | wc -l' }),
      ),
      say("done"),
    ],
  });
  await inSessionFolder(double, async ({ tau, only }) => {
    const args = ["-p", "--output-format", "stream-json", "--sandbox", "off"];
    const run = await tau(...args, "go");
    assert.equal(run.code, 0, run.stderr);
    const { path } = only();
    const text = await Deno.readTextFile(path);
    assert(text.includes(`TAU_SESSION_FILE=${path}\\n`));
    // The header, model, level, system prompt, user, and the call itself.
    assert.match(text, /\\n6\\n/);
    assert(!`${text}${run.stdout}${run.stderr}`.includes("CANARY"));
  });
});

needing("bubblewrap")(
  "tau shows confined commands no session file",
  async () => {
    await using double = startProviderDouble({
      api: "openai-completions",
      script: [
        say("", call("bash", { command: 'wc -l <"$TAU_SESSION_FILE" 2>&1' })),
        say("done"),
      ],
    });
    await inSessionFolder(double, async ({ tau }) => {
      const run = await tau("-p", "--output-format", "stream-json", "go");
      assert.match(run.stdout, /No such file or directory/);
    });
  },
);

Deno.test("tau sessions lists, shows, exports and removes", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [
      say("", call("bash", { command: "seq 1 40" })),
      say("It counts.\u001b[31m"),
      say("two"),
    ],
  });
  await inSessionFolder(double, async ({ tau, files, cwd }) => {
    assert.equal((await tau("sessions")).stdout, "");
    await tau("-p", "count to forty");
    await tau("-p", "another");
    const listed = await tau("sessions", "list", "--json");
    const sessions = listed.stdout.trim().split("\n").map((line) =>
      JSON.parse(line)
    );
    assert.deepEqual(
      sessions.map(({ firstText, file }) => [firstText, file]),
      [["another", files()[0]], ["count to forty", files()[1]]],
    );
    const { id } = sessions[1];
    const table = (await tau("sessions")).stdout;
    assert(table.includes(`${id.slice(0, 8)}  `) && table.includes(cwd));

    const shown = (await tau("sessions", "show", id)).stdout;
    assert.match(
      shown,
      /## User\n\ncount to forty\n\n## Assistant\n\nCall of bash/,
    );
    assert.match(shown, /\n12\n… 29 more lines/);
    const exported = (await tau("sessions", "export", id.slice(0, 6))).stdout;
    assert.match(exported, /\n39\n40\n/);
    assert.match(exported, /It counts\./);

    const removed = await tau("sessions", "rm", id, "ffffffff");
    assert.equal(removed.code, 2);
    assert.equal(files().length, 2, "nothing is removed when one is unknown");
    assert.equal((await tau("sessions", "rm", id)).code, 0);
    assert.equal(files().length, 1);
    assert.equal((await tau("sessions", "show", id)).code, 2);
    assert.equal((await tau("sessions", "shwo", id)).code, 2);
  });
});

Deno.test("tau keeps the full output of a command for as long as the session that names it", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [
      say("", call("bash", { command: "seq 1 100000" })),
      say("done"),
      ({ body }) => {
        const [path = ""] = /[^ ]+\/bash-\w+\.log/.exec(JSON.stringify(body)) ??
          [];
        return say("", call("read", { path, offset: 99_999 }));
      },
      say("read"),
      say("", call("bash", { command: "echo short" })),
      say("short"),
    ],
  });
  await inSessionFolder(double, async ({ tau, home, only }) => {
    assert.equal((await tau("-p", "count")).code, 0);
    const id = only().header?.id ?? "";
    const [output] = [...Deno.readDirSync(`${home}/tmp/${id}`)];
    const stat = Deno.statSync(`${home}/tmp/${id}/${output?.name}`);
    assert.equal((stat.mode ?? 0) & 0o777, 0o600);

    const resumed = await tau("-p", "--output-format", "json", "-c", "read it");
    assert.equal(lastRecord(resumed).failedToolCalls, 0, resumed.stdout);
    assert.match(JSON.stringify(double.requests[3]?.body), /99999\\n100000/);

    assert.equal((await tau("sessions", "rm", id)).code, 0);
    assert.throws(
      () => Deno.statSync(`${home}/tmp/${id}`),
      Deno.errors.NotFound,
    );
    assert.equal((await tau("-p", "short")).code, 0);
    assert.deepEqual([...Deno.readDirSync(`${home}/tmp`)], []);
  });
});

for (
  const [args, message] of [
    [["-c", "-r", "abcd", "x"], /--continue and --resume do not go together/],
    [["--no-session", "-c", "x"], /--continue and --no-session/],
    [["--fork", "x"], /--fork copies a session/],
    [["-r", "../../etc", "x"], /for --resume: expected the id of a session/],
    [["-r", "abcd", "x"], /No session "abcd"/],
    [["-c", "x"], /There is no session of ".*" to go on with/],
    [["--session", "/etc/passwd", "x"], /it is no session of tau/],
    [["--session", "/no/such/file", "--fork", "x"], /no such file/],
  ] as const
) {
  Deno.test(`tau ${args.join(" ")} is a usage error`, async () => {
    await using double = startProviderDouble({
      api: "openai-completions",
      script: [],
    });
    await inSessionFolder(double, async ({ tau, files }) => {
      const run = await tau("-p", ...args);
      assert.equal(run.code, 2, run.stderr);
      assert.match(run.stderr, message);
      assert.equal(run.stdout, "");
      assert.deepEqual(files(), []);
    });
  });
}

Deno.test("tau keeps floods of output and changes of large files out of the session", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [
      say(
        "",
        call("bash", { command: "head -c 3000000 /dev/zero | tr '\\0' x" }),
      ),
      say(
        "",
        call("edit", {
          path: "one.txt",
          edits: [{ oldText: "MARK", newText: "DONE" }],
        }),
        call("edit", {
          path: "lines.txt",
          edits: [{ oldText: "19999\n", newText: "19999!\n" }],
        }),
      ),
      say("done"),
    ],
  });
  await inSessionFolder(double, async ({ cwd, tau, only }) => {
    await Deno.writeTextFile(`${cwd}/one.txt`, `${"x".repeat(2_000_000)}MARK`);
    const lines = Array.from({ length: 20_000 }, (_, i) => `${i}\n`);
    await Deno.writeTextFile(`${cwd}/lines.txt`, lines.join(""));
    const run = await tau("-p", "--output-format", "json", "go");
    assert.equal(run.code, 0, run.stderr);
    assert.equal(lastRecord(run).failedToolCalls, 0);
    const { size } = await Deno.stat(only().path);
    assert(size < 300_000, `${size} bytes`);
  });
});
