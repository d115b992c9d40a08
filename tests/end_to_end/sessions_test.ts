import assert from "node:assert/strict";
import { denoDir } from "../support/host_run.ts";
import { needing } from "../support/needs.ts";
import { call, say } from "../support/provider_double.ts";
import { inPlace } from "../support/tau_place.ts";
import { lastRecord, warningsOf } from "../support/tau_process.ts";
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
  await inPlace({
    script: [
      say(
        "",
        call("bash", { command: "echo one" }, "k1"),
        call("bash", { command: "sleep 600" }, "k2"),
      ),
      say("ok"),
      say("again"),
    ],
  }, async ({ ask, during, requests, only }) => {
    await during(
      ["-p", "--output-format", "stream-json", "go"],
      async (run) => {
        await run.printed(/"tool_execution_end","toolCallId":"k1"/);
        run.signal("SIGKILL");
        await run.ended();
      },
    );
    const resumed = await ask(["-c", "go on"]);
    assert.equal(resumed.code, 0, resumed.stderr);
    const [, , first, second, last] = sent(requests[1]!);
    assert.deepEqual(first, {
      role: "tool",
      tool_call_id: "k1",
      content: "one\n",
    });
    assert.equal(second?.tool_call_id, "k2");
    assert.match(String(second?.content), /Interrupted/);
    assert.deepEqual(last, { role: "user", content: "go on" });

    const again = await ask(["-c", "and on"]);
    assert.equal(again.code, 0, again.stderr);
    assert.deepEqual(
      sent(requests[2]!).slice(0, 5),
      sent(requests[1]!),
    );
    assert.equal(
      only().entries.filter((entry) =>
        entry.type === "message" && entry.message.role === "toolResult"
      ).length,
      2,
    );
  });
});

Deno.test("tau goes on after answers that said nothing", async () => {
  await inPlace(
    { script: [{ body: "" }, say(" \n"), say("ok")] },
    async ({ ask, requests, only }) => {
      const failed = await ask(["--max-retries", "0", "first"]);
      assert.equal(failed.code, 11, failed.stderr);
      assert.equal((await ask(["-c", "second"])).code, 0);
      assert.equal((await ask(["-c", "third"])).code, 0);
      const content = JSON.stringify(texts(requests[2]!));
      assert.match(content, /first.*second.*third/);
      assert.equal(only().damagedLines, 0);
    },
  );
});

Deno.test("tau goes on with a session from another folder, with its model, and says where it is now", async () => {
  await inPlace(
    { script: [say("one"), say("two")] },
    async ({ ask, requests, only }) => {
      await ask(["--model", "openai/gpt-x:low", "first"]);
      const { header, path } = only();
      await inTempFolder(async (cwd) => {
        const args = ["--output-format", "json", "-r"];
        const id = (header?.id ?? "").slice(0, 8);
        const run = await ask([...args, id, "second"], { cwd });
        assert.equal(run.code, 0, run.stderr);
        const { sessionId, session, model } = lastRecord(run);
        assert.equal(sessionId, header?.id);
        assert.deepEqual(session, { file: path, stored: true });
        assert.equal(model, "openai/gpt-x");
        const { text } = requests[1]!;
        assert(text.includes(`<cwd>\\n${cwd}\\n</cwd>`));
        assert(!text.includes(header?.cwd ?? "?"));
      });
      assert.deepEqual(texts(requests[1]!), ["first", "one", "second"]);
      assert.equal(only().header?.id, header?.id);
      const levels = requests.map(({ body }) =>
        (body as { reasoning_effort?: string }).reasoning_effort
      );
      assert.deepEqual(levels, ["low", "low"]);
    },
  );
});

Deno.test("tau --fork goes on with a copy, --session with a file, --no-session with nothing", async () => {
  await inPlace({
    script: ["one", "two", "three", "four", "five"].map((text) => say(text)),
  }, async ({ ask, requests, files, only, cwd }) => {
    await ask(["--no-session", "unheard"]);
    assert.deepEqual(files(), []);

    await ask(["first"]);
    const { path } = only();
    const before = await Deno.readTextFile(path);
    await ask(["-c", "--fork", "aside"]);
    assert.equal(await Deno.readTextFile(path), before);
    assert.equal(files().length, 2);
    assert.deepEqual(texts(requests[2]!), ["first", "two", "aside"]);

    for (const prompt of ["begin", "go on"]) {
      const run = await ask(["--session", "my own.jsonl", prompt]);
      assert.equal(run.code, 0, run.stderr);
    }
    assert.deepEqual(texts(requests[4]!), ["begin", "four", "go on"]);
    assert.equal((await Deno.stat(`${cwd}/my own.jsonl`)).mode! & 0o777, 0o600);
    assert.equal(files().length, 2);
  });
});

Deno.test("tau refuses a session that another run has open, and opens it once that was killed", async () => {
  await inPlace({
    script: [say("one"), { hang: true }, say("aside"), say("after")],
  }, async ({ tau, ask, during, files, only, requests }) => {
    await ask(["first"]);
    const id = only().header?.id ?? "";
    await during(
      ["-p", "--output-format", "stream-json", "-r", id, "left"],
      async (run) => {
        await run.printed(/"content":"left"/);
        const refused = await ask([
          "--output-format",
          "json",
          "-r",
          id,
          "right",
        ]);
        assert.equal(refused.code, 2);
        assert.match(
          lastRecord(refused).error?.message ?? "",
          /in use by another run/,
        );
        assert.match(refused.stderr, /in use by another run/);
        assert.equal((await tau(["sessions", "rm", id])).code, 2);
        assert.equal((await ask(["-r", id, "--fork", "aside"])).code, 0);
        run.signal("SIGKILL");
        await run.ended();
      },
    );
    const after = await ask(["-r", id, "after"]);
    assert.equal(after.code, 0, after.stderr);
    assert.equal(files().length, 2);
    const said = JSON.stringify(texts(requests[3]!));
    assert.match(said, /first.*one.*left.*after/);
    assert.doesNotMatch(said, /right|aside/);
  });
});

Deno.test("tau goes on without a session where none can be written, and says so", async () => {
  await inPlace({
    script: [1, 2, 3].map(() =>
      say("", call("bash", { command: 'echo "file:$TAU_SESSION_FILE"' }))
    ).flatMap((reply) => [reply, say("done")]),
  }, async ({ ask, requests, cwd, home }) => {
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
      const run = await ask(["--output-format", "json", "go"], {
        env: { DENO_DIR: denoDir(), ...changes },
      });
      assert.equal(run.code, 0, run.stderr);
      assert.deepEqual(lastRecord(run).session, { stored: false });
      const [line = "", ...others] = warningsOf(run);
      assert.match(line, message);
      assert.deepEqual(others, []);
      assert(requests.at(-1)?.text.includes("file:\\n"));
    }
    assert.throws(
      () => Deno.statSync(`${home}/sessions`),
      Deno.errors.NotFound,
    );
  });
});

Deno.test("tau stores what it can of a session that fills the disk, and says that it is not all", async () => {
  await inPlace(
    { script: [say("x".repeat(40_000)), say("after")] },
    async ({ ask, shell, requests, only }) => {
      const run = await shell(
        // The limit is that of the host alone: its child resets nothing.
        `trap '' XFSZ; ulimit -f 24; tau -p --output-format json "first"`,
      );
      assert.equal(run.code, 0, run.stderr);
      const { session, text } = lastRecord(run);
      assert.equal(session.stored, false);
      assert.equal(session.file, only().path);
      assert.equal(text.length, 40_000);
      assert.equal(run.stderr.match(/Cannot store the session/g)?.length, 1);

      assert.equal((await ask(["-c", "second"])).code, 0);
      const said = JSON.stringify(texts(requests[1]!));
      assert.match(said, /first.*second/);
      assert.doesNotMatch(said, /xxx/);
    },
  );
});

Deno.test("tau names the session's file to commands, and keeps keys out of it", async () => {
  await inPlace({
    script: [
      say(
        "",
        call("bash", { command: 'env; cat "$TAU_SESSION_FILE" | wc -l' }),
      ),
      say("done"),
    ],
  }, async ({ tau, only }) => {
    const args = ["-p", "--output-format", "stream-json", "--sandbox", "off"];
    const run = await tau([...args, "go"]);
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
    await inPlace({
      script: [
        say("", call("bash", { command: 'wc -l <"$TAU_SESSION_FILE" 2>&1' })),
        say("done"),
      ],
    }, async ({ ask }) => {
      const run = await ask(["--output-format", "stream-json", "go"]);
      assert.match(run.stdout, /No such file or directory/);
    });
  },
);

Deno.test("tau sessions lists, shows, exports and removes", async () => {
  await inPlace({
    script: [
      say("", call("bash", { command: "seq 1 40" })),
      say("It counts.\u001b[31m"),
      say("two"),
    ],
  }, async ({ tau, ask, files, cwd }) => {
    assert.equal((await tau(["sessions"])).stdout, "");
    await ask(["count to forty"]);
    await ask(["another"]);
    const listed = await tau(["sessions", "list", "--json"]);
    const sessions = listed.stdout.trim().split("\n").map((line) =>
      JSON.parse(line)
    );
    assert.deepEqual(
      sessions.map(({ firstText, file }) => [firstText, file]),
      [["another", files()[0]], ["count to forty", files()[1]]],
    );
    const { id } = sessions[1];
    const table = (await tau(["sessions"])).stdout;
    assert(table.includes(`${id.slice(0, 8)}  `) && table.includes(cwd));

    const shown = (await tau(["sessions", "show", id])).stdout;
    assert.match(
      shown,
      /## User\n\ncount to forty\n\n## Assistant\n\nCall of bash/,
    );
    assert.match(shown, /\n12\n… 29 more lines/);
    const exported = (await tau(["sessions", "export", id.slice(0, 6)])).stdout;
    assert.match(exported, /\n39\n40\n/);
    assert.match(exported, /It counts\./);

    const removed = await tau(["sessions", "rm", id, "ffffffff"]);
    assert.equal(removed.code, 2);
    assert.equal(files().length, 2, "nothing is removed when one is unknown");
    assert.equal((await tau(["sessions", "rm", id])).code, 0);
    assert.equal(files().length, 1);
    assert.equal((await tau(["sessions", "show", id])).code, 2);
    assert.equal((await tau(["sessions", "shwo", id])).code, 2);
  });
});

Deno.test("tau keeps the full output of a command for as long as the session that names it", async () => {
  await inPlace({
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
  }, async ({ tau, ask, requests, only, home }) => {
    assert.equal((await ask(["count"])).code, 0);
    const id = only().header?.id ?? "";
    const [output] = [...Deno.readDirSync(`${home}/tmp/${id}`)];
    const stat = Deno.statSync(`${home}/tmp/${id}/${output?.name}`);
    assert.equal((stat.mode ?? 0) & 0o777, 0o600);

    const resumed = await ask(["--output-format", "json", "-c", "read it"]);
    assert.equal(lastRecord(resumed).failedToolCalls, 0, resumed.stdout);
    assert.match(JSON.stringify(requests[3]?.body), /99999\\n100000/);

    assert.equal((await tau(["sessions", "rm", id])).code, 0);
    assert.throws(
      () => Deno.statSync(`${home}/tmp/${id}`),
      Deno.errors.NotFound,
    );
    assert.equal((await ask(["short"])).code, 0);
    assert.deepEqual([...Deno.readDirSync(`${home}/tmp`)], []);
  });
});

for (
  const [args, message] of [
    [["--fork", "x"], /--fork copies a session/],
    [["-r", "../../etc", "x"], /for --resume: expected the id of a session/],
    [["-r", "abcd", "x"], /No session "abcd"/],
    [["-c", "x"], /There is no session of ".*" to continue/],
    [["--session", "/etc/passwd", "x"], /it is not a session of tau/],
    [["--session", "/no/such/file", "--fork", "x"], /no such file/],
  ] as const
) {
  Deno.test(`tau ${args.join(" ")} is a usage error`, async () => {
    await inPlace({ script: [] }, async ({ ask, files }) => {
      const run = await ask([...args]);
      assert.equal(run.code, 2, run.stderr);
      assert.match(run.stderr, message);
      assert.equal(run.stdout, "");
      assert.deepEqual(files(), []);
    });
  });
}

Deno.test("tau keeps floods of output and changes of large files out of the session", async () => {
  await inPlace({
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
  }, async ({ ask, only, cwd }) => {
    await Deno.writeTextFile(`${cwd}/one.txt`, `${"x".repeat(2_000_000)}MARK`);
    const lines = Array.from({ length: 20_000 }, (_, i) => `${i}\n`);
    await Deno.writeTextFile(`${cwd}/lines.txt`, lines.join(""));
    const run = await ask(["--output-format", "json", "go"]);
    assert.equal(run.code, 0, run.stderr);
    assert.equal(lastRecord(run).failedToolCalls, 0);
    const { size } = await Deno.stat(only().path);
    assert(size < 300_000, `${size} bytes`);
  });
});
