import assert from "node:assert/strict";
import { atOnce } from "../support/at_once.ts";
import { call, type Reply, say } from "../support/provider_double.ts";
import { inPlace } from "../support/tau_place.ts";
import {
  inEachFormat,
  lastRecord,
  runShell,
  runTau,
  type TauOptions,
  type TauRun,
} from "../support/tau_process.ts";

function assertClean(run: TauRun): void {
  assert.deepEqual(run.left, [], "processes are left");
  assert.deepEqual(run.tempLeft, [], "temporary files are left");
  assert.doesNotMatch(run.stderr, /^\s+at .*:\d+:\d+/m, "a stack trace");
  assert.doesNotMatch(run.stderr, /Uncaught|BrokenPipe|Internal error/);
}

const PROMPT_CASES: Record<
  string,
  TauOptions & { args: string[]; prompt: string }
> = {
  "an argument while stdin is an open, silent pipe": {
    args: ["-p", "say ok"],
    stdin: "open",
    prompt: "say ok",
  },
  "an argument while stdin holds something else": {
    args: ["-p", "say ok"],
    stdin: "extra",
    prompt: "say ok",
  },
  "several words": { args: ["-p", "say", "ok"], prompt: "say ok" },
  "stdin": { args: ["-p"], stdin: "say ok\n", prompt: "say ok" },
  "a dash among words": {
    args: ["-p", "review:", "-"],
    stdin: "a\nb\n",
    prompt: "review: a\nb",
  },
  "words behind --": {
    args: ["-p", "--", "--help", "demo"],
    prompt: "--help demo",
  },
};

for (
  const [what, { args, prompt, ...options }] of Object.entries(PROMPT_CASES)
) {
  Deno.test(`tau takes its prompt from ${what}`, async () => {
    await inPlace({ script: [say("ok")] }, async ({ tau, request }) => {
      const run = await tau(args, options);
      assert.equal(run.stdout, "ok\n", run.stderr);
      assert.equal(run.code, 0);
      assert.equal(request(0).last("user"), prompt);
      assertClean(run);
    });
  });
}

Deno.test("tau runs a prompt with stdin closed", async () => {
  await inPlace({ script: [say("ok")] }, async ({ shell }) => {
    const run = await shell('tau -p "say ok" <&-');
    assert.equal(run.stdout, "ok\n", run.stderr);
    assert.equal(run.code, 0);
  });
});

Deno.test("tau runs in a session without a terminal and with few variables", async () => {
  await inPlace({ script: [say("ok")] }, async ({ shell }) => {
    const run = await shell('setsid -w "${TAU[@]}" -p "say ok"', {
      env: { TERM: "dumb" },
    });
    assert.equal(run.stdout, "ok\n", run.stderr);
    assert.equal(run.code, 0);
  });
});

Deno.test("tau says how to give a prompt when there is none", async () => {
  await atOnce(["", "\n\n", undefined], async (stdin) => {
    const run = await runTau(["-p", "--output-format", "json"], {
      ...(stdin === undefined ? {} : { stdin }),
    });
    assert.equal(run.code, 2);
    assert.equal(lastRecord(run).status, "usage_error");
    assert.match(run.stderr, /^tau: Stdin is empty: give/m);
  });
});

Deno.test("tau writes five megabytes whole to a slow reader", async () => {
  const text = "0123456789".repeat(500_000);
  await atOnce(
    ["text", "stream-json"],
    (format) =>
      inPlace({ script: [say(text)] }, async ({ shell }) => {
        const run = await shell(
          `tau -p --output-format ${format} go | (sleep 1; tail -n 1)`,
        );
        assertClean(run);
        if (format === "text") return assert.equal(run.stdout, `${text}\n`);
        assert.equal(lastRecord(run).text, text);
        assert.equal(lastRecord(run).status, "completed");
      }),
  );
});

const CHUNKS: Reply[] = [{
  ...say("x".repeat(500_000)),
  hangAfterBytes: 400_000,
}];
const SLEEP: Reply[] = [say("", call("bash", { command: "sleep 300" }))];

for (
  const [what, script] of [
    ["the model speaks", CHUNKS],
    ["a command runs", SLEEP],
  ] as const
) {
  Deno.test(`tau ends when its reader goes away while ${what}`, async () => {
    await inPlace({ script: [...script] }, async ({ shell }) => {
      const run = await shell(
        'tau -p --output-format stream-json go | head -n 1; echo "code ${PIPESTATUS[0]}"',
      );
      assert.match(run.stdout, /^\{"type":"session".*\}\ncode 141\n$/);
      assert(run.durationMs < 4000, `it took ${run.durationMs} ms`);
      assertClean(run);
    });
  });
}

Deno.test("tau ends with an error when its answer cannot be written", async () => {
  await inEachFormat((format) =>
    inPlace({ script: [say("ok")] }, async ({ shell }) => {
      const run = await shell(
        `tau -p --output-format ${format} go >/dev/full`,
      );
      assert.equal(run.code, 1, format);
      assert.match(run.stderr, /Cannot write to stdout/);
      assertClean(run);
    })
  );
});

Deno.test("tau runs on when nobody reads its stderr", async () => {
  await inPlace({
    script: [
      say("", call("bash", { command: "echo hi" })),
      say("ok"),
    ],
  }, async ({ shell }) => {
    const run = await shell(
      "exec 3>&1; tau -p go 2>&1 >&3 | true; exit ${PIPESTATUS[0]}",
    );
    assert.equal(run.code, 0);
    assert.equal(run.stdout, "ok\n");
    assertClean(run);
  });
});

Deno.test("tau --help and --version end quietly when nobody reads", async () => {
  for (const command of ["--help | head -n 1", "--version | true"]) {
    const run = await runShell(`tau ${command}; exit \${PIPESTATUS[0]}`);
    assert([0, 141].includes(run.code), `code ${run.code}`);
    assert.equal(run.stderr, "");
  }
});

Deno.test("tau ends at its time limit although nobody reads its output", async () => {
  const text = "0123456789".repeat(200_000);
  await inPlace(
    { script: [say(text), say("never")] },
    async ({ shell }) => {
      const args = [
        "-p",
        "--output-format",
        "stream-json",
        "--timeout",
        "1s",
        "go",
      ];
      const run = await shell(
        `exec 3< <(tau "$@"; echo "code $?" >code.txt); head -c 100 <&3 >/dev/null
until [ -s code.txt ]; do sleep 0.05; done; cat code.txt`,
        { args },
      );
      assert.equal(run.stdout, "code 22\n", run.stderr);
      assert(run.durationMs < 6000, `it took ${run.durationMs} ms`);
      assertClean(run);
    },
  );
});

Deno.test("tau keeps control characters of an answer from nobody but a terminal", async () => {
  await inPlace({ script: [say("\u001b[31mred\u0007")] }, async ({ tau }) => {
    const run = await tau(["-p", "go"]);
    assert.equal(run.stdout, "\u001b[31mred\u0007\n");
  });
});

Deno.test("tau shows control characters in what a command prints as signs on stderr", async () => {
  const file = "a\u001b]0;title\u0007b";
  const script = [say("", call("read", { path: file })), say("ok")];
  await inPlace({ script }, async ({ tau }) => {
    const run = await tau(["-p", "go"]);
    assert.equal(run.code, 0);
    assert(!run.stderr.includes("\u001b"), JSON.stringify(run.stderr));
  });
});
