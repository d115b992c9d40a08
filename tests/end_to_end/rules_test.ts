import assert from "node:assert/strict";
import type { JsonObject } from "../../src/model/content.ts";
import type { RunResult } from "../../src/protocol/result_schema.ts";
import { atOnce } from "../support/at_once.ts";
import { needing } from "../support/needs.ts";
import { call, say } from "../support/provider_double.ts";
import { inPlace } from "../support/tau_place.ts";
import { jsonLines, lastRecord, type TauRun } from "../support/tau_process.ts";

interface Ruled {
  run: TauRun;
  record: RunResult;
  /** The results of the calls as the model read them. */
  results: string[];
  cwd: string;
}

interface RuledOptions {
  permissions?: JsonObject;
  args?: string[];
  files?: Record<string, string>;
  format?: "json" | "stream-json";
  stdin?: "open";
}

/** Runs tau with rules against a model that makes some calls, one a turn, and then ends. */
async function withRules(
  calls: [string, JsonObject][],
  { permissions = {}, args = [], files = {}, format = "json", stdin }:
    RuledOptions,
  look: (ruled: Ruled) => Promise<void> | void,
): Promise<void> {
  const script = [
    ...calls.map(([name, args]) => say("", call(name, args))),
    say("Done."),
  ];
  const settings = { permissions };
  await inPlace({ script, settings, files }, async ({ ask, request, cwd }) => {
    const run = await ask(
      ["--output-format", format, ...args, "go"],
      stdin ? { stdin } : {},
    );
    assert.deepEqual(run.left, []);
    const results = request(-1).said("tool");
    await look({ run, record: lastRecord(run), results, cwd });
  });
}

Deno.test("a call that needs an approval is refused at once where nobody can give it", async () => {
  const permissions = { ask: ["bash", "read(/etc/**)"] };
  await atOnce([undefined, "open"] as const, (stdin) =>
    withRules(
      [["bash", { command: "touch made" }], ["read", {
        path: "/etc/hostname",
      }]],
      {
        permissions,
        format: "stream-json",
        ...(stdin ? { stdin } : {}),
      },
      async ({ run, record, results, cwd }) => {
        assert.equal(run.code, 0, run.stderr);
        assert(run.durationMs < 10_000);
        const file = `${cwd.replace(/work$/, "home")}/settings.json`;
        assert.equal(
          results[0],
          `Not run: the rule "bash" of "${file}" wants the user's approval, and nobody can approve anything in this run. Do it another way, or tell the user what is needed; the option --allow-tool "bash" would allow it`,
        );
        assert.match(
          results[1] ?? "",
          /--allow-tool "read\(\/etc\/hostname\)"/,
        );
        await assert.rejects(Deno.stat(`${cwd}/made`));
        const denied = jsonLines(run).filter(({ type }) =>
          type === "tool_denied"
        );
        assert.equal(denied.length, 2);
        assert.deepEqual(record.capabilities.denied, [
          {
            toolName: "bash",
            reason: "no_approver",
            rule: "bash",
            source: file,
            count: 1,
          },
          {
            toolName: "read",
            reason: "no_approver",
            rule: "read(/etc/**)",
            source: file,
            count: 1,
          },
        ]);
      },
    ));
});

Deno.test("--allow-tool goes before rules that ask, --deny-tool before everything", async () => {
  await withRules([
    ["bash", { command: "touch allowed" }],
    ["bash", { command: "touch asked; touch allowed" }],
    ["bash", { command: "sh -c 'touch allowed denied'" }],
  ], {
    permissions: { ask: ["bash(*)"], allow: ["bash(touch *denied)"] },
    args: [
      ...["--allow-tool", "bash(touch allowed*)"],
      ...["--deny-tool", "bash(touch *denied*)", "--deny-tool", "edit"],
      "--fail-on-denied",
    ],
  }, async ({ run, record, results, cwd }) => {
    assert.equal(run.code, 30);
    assert.equal(record.status, "denied");
    assert.match(record.error?.message ?? "", /^Denied: bash, since nobody/);
    assert.match(run.stderr, /Denied: bash, since nobody could approve it/);
    assert.equal(record.text, "Done.");
    assert.equal((await Deno.stat(`${cwd}/allowed`)).isFile, true);
    await assert.rejects(Deno.stat(`${cwd}/asked`));
    await assert.rejects(Deno.stat(`${cwd}/denied`));
    assert.equal(
      results[2],
      'Not run: denied by the rule "bash(touch *denied*)" of the command line (touch allowed denied). It cannot be approved; do it another way, or tell the user what is needed and why',
    );
  });
});

Deno.test("rules that deny write and read hold for every file tool, by the path that links lead to", async () => {
  await withRules([
    ["bash", { command: "ln -s private/key.txt link" }],
    ["write", { path: "a.lock", content: "x" }],
    ["edit", {
      path: "sub/b.lock",
      edits: [{ oldText: "old", newText: "new" }],
    }],
    ["read", { path: "link" }],
    ["grep", { pattern: "canary", path: "." }],
  ], {
    permissions: { deny: ["write(*.lock)", "read(private)"] },
    args: [
      ...["--tools", "read,edit,write,grep,bash", "--fail-on-denied"],
      // The file tools alone.
      ...["--sandbox", "off"],
    ],
    files: {
      "work/sub/b.lock": "old\n",
      "work/private/key.txt": "canary\n",
      "work/seen.txt": "canary\n",
    },
  }, ({ run, record, results }) => {
    assert.equal(run.code, 30);
    assert.match(
      results[1] ?? "",
      /^Not run: denied by the rule "write\(\*\.lock\)"/,
    );
    assert.match(
      results[2] ?? "",
      /b\.lock" is denied by the rule "write\(\*\.lock\)" of/,
    );
    assert.match(results[3] ?? "", /denied by the rule "read\(private\)" of/);
    assert.match(results[4] ?? "", /seen\.txt/);
    assert.doesNotMatch(results[4] ?? "", /key\.txt/);
    assert.equal(record.capabilities.denied.length, 2);
    assert(record.capabilities.attempted.write >= 1);
    assert(record.capabilities.attempted.read >= 1);
  });
});

needing("bubblewrap")(
  "rules that deny paths hold for confined commands, too, where the paths exist",
  async () => {
    await withRules([
      ["bash", { command: "cat private/key.txt; echo new > sub/b.lock" }],
      ["bash", { command: "cat sub/b.lock seen.txt" }],
    ], {
      permissions: { deny: ["write(*.lock)", "read(private)"] },
      args: ["--sandbox", "require"],
      files: {
        "work/sub/b.lock": "old\n",
        "work/private/key.txt": "canary\n",
        "work/seen.txt": "seen\n",
      },
    }, ({ run, results }) => {
      assert.equal(run.code, 0, run.stderr);
      assert.doesNotMatch(results.join("\n"), /canary/);
      assert.equal(results[1], "old\nseen\n");
    });
  },
);

Deno.test("paths that the file tools were refused are counted, and fail a run that must not be denied anything", async () => {
  const calls: [string, JsonObject][] = [
    ["read", { path: "/etc/shadow" }],
    ["read", { path: "../x" }],
    ["write", { path: "/outside.txt", content: "x" }],
    ["write", { path: ".git/hooks/pre-commit", content: "x" }],
    ["read", { path: "note.txt" }],
  ];
  await atOnce(
    [[], ["--fail-on-denied"]],
    (args) =>
      withRules(calls, { args }, ({ run, record }) => {
        assert.deepEqual(record.capabilities.attempted, {
          read: 2,
          write: 1,
          protected: 1,
        });
        assert.deepEqual(record.capabilities.denied, []);
        assert.equal(run.code, args.length > 0 ? 30 : 0);
        assert.equal(record.failedToolCalls, 4);
      }),
  );
});

Deno.test("a rule that could not hold is an error at the start that names file, rule and a right one", async () => {
  const cases: [RuledOptions, RegExp][] = [
    [
      { permissions: { deny: ["Bash(rm *)"] } },
      /Wrong rule "Bash\(rm \*\)" in "permissions\.deny" of ".*\/home\/settings\.json": .* such as "bash\(rm \*\)"/,
    ],
    [
      { permissions: { ask: ["bahs"] } },
      /Wrong rule "bahs" of ".*\/home\/settings\.json": there is no tool "bahs"; a rule for bash is such as "bash"/,
    ],
    [
      { args: ["--allow-tool", "bash(a && b)"] },
      /Wrong value "bash\(a && b\)" for --allow-tool: .* such as "bash\(git status\*\)"/,
    ],
    [{ permissions: { deny: "bash" } }, /Wrong setting "permissions\.deny"/],
  ];
  await atOnce(
    cases,
    ([options, message]) =>
      withRules([], options, ({ run, record }) => {
        assert.equal(run.code, 2, run.stdout);
        assert.match(record.error?.message ?? "", message);
      }),
  );
});

Deno.test("what a command did to files that start programs is told with the difference", async () => {
  const command = [
    "mkdir -p sub/new/.git .git/hooks",
    "echo evil > .git/hooks/post-checkout",
    "echo '[core]' > sub/new/.git/config",
    "echo PATH=. > .envrc",
  ].join("; ");
  await withRules(
    [["bash", { command }], ["read", { path: "note.txt" }]],
    { format: "stream-json" },
    ({ run, record, cwd }) => {
      assert.equal(run.code, 0, run.stderr);
      const { changed = [], isPartial } = record.controlFiles ?? {};
      assert.equal(isPartial, undefined);
      assert.deepEqual(
        changed.map(({ path, change }) => [path, change]).sort(),
        [
          [`${cwd}/.envrc`, "created"],
          [`${cwd}/.git/hooks/post-checkout`, "created"],
          [`${cwd}/sub/new/.git/config`, "created"],
        ],
      );
      assert(changed.some(({ diff }) => diff?.includes("\n+evil\n")));
      const types = jsonLines(run).map(({ type }) => type);
      const told = types.flatMap((type, i) =>
        type === "control_file_changed" ? [i] : []
      );
      assert.equal(told.length, 3);
      // Those at the top are told when the command has ended, the other one at the end.
      assert((told[0] ?? 0) < types.lastIndexOf("tool_execution_start"));
      assert((told[2] ?? 0) > types.indexOf("agent_end"));
    },
  );
});
