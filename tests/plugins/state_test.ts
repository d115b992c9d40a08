import assert from "node:assert/strict";
import { needing } from "../support/needs.ts";
import { call, say } from "../support/provider_double.ts";
import { withShippedPlugin } from "../support/shipped_plugin.ts";
import { readRequest } from "../support/tau_place.ts";
import { jsonLines } from "../support/tau_process.ts";

Deno.test("todo keeps its list in the session, and has it again when the session goes on", async () => {
  await withShippedPlugin("todo.ts", {
    script: [
      say(
        "",
        call("todo", { action: "add", text: "mend" }),
        call("todo", { action: "add", text: "test" }),
      ),
      say("", call("todo", { action: "done", number: 1 })),
      say("noted"),
      say(
        "",
        call("todo", { action: "list" }),
        call("todo", { action: "done", number: 9 }),
      ),
      say("told"),
      say("aside"),
    ],
  }, async ({ prompt, results, root }) => {
    const file = `${root}/s.jsonl`;
    await prompt("--session", file);
    assert.equal(results().at(-1), "1. [x] mend\n2. [ ] test");
    await prompt("--session", file);
    assert.deepEqual(results().slice(-2), [
      "1. [x] mend\n2. [ ] test",
      "done needs a number from 1 to 2",
    ]);
    const kept = (await Deno.readTextFile(file)).split("\n")
      .filter((line) => line.includes(`"customType":"todo"`));
    assert.equal(kept.length, 3);
    // The model never sees the entries.
    const { stdout } = await prompt("--session", file, "--fork");
    assert(!stdout.includes("customType"));
  });
});

Deno.test("dynamic_tools declares a tool once the model has asked for it, an inactive one and one that did not exist", async () => {
  await withShippedPlugin("dynamic_tools.ts", {
    script: [
      say("", call("more_tools", { kind: "text" })),
      say("", call("count_words", { text: "one two" })),
      say("", call("more_tools", { kind: "digest" })),
      say("", call("sha256", { text: "abc" })),
      say("ok"),
    ],
  }, async ({ prompt, results, requests }) => {
    const run = await prompt();
    assert.equal(run.code, 0, run.stderr);
    const declared = requests.map((request) => readRequest(request).tools);
    const builtIn = ["read", "bash", "edit", "write"];
    const own = (names: string[]) =>
      names.filter((name) => !builtIn.includes(name));
    assert.deepEqual(declared.map(own), [
      ["more_tools"],
      ["more_tools", "count_words"],
      ["more_tools", "count_words"],
      ["more_tools", "count_words", "sha256"],
      ["more_tools", "count_words", "sha256"],
    ]);
    const [, words, , digest] = results();
    assert.equal(words, "2");
    assert.match(digest ?? "", /^ba7816bf8f01cfea4141/);
    const added = jsonLines(run).map((line) =>
      Object(line).result?.addedToolNames
    ).filter((names) => names !== undefined);
    assert.deepEqual(added, [["count_words"], ["sha256"]]);
  });
});

needing("git")(
  "git_checkpoint keeps the tree of each turn that changed it, and touches neither branch nor stash",
  async () => {
    await withShippedPlugin("git_checkpoint.ts", {
      script: [
        say("", call("write", { path: "note.txt", content: "beta\n" })),
        say("", call("bash", { command: "echo gamma > note.txt" })),
        say("ok"),
      ],
    }, async ({ prompt, root, cwd }) => {
      const git = async (...args: string[]) => {
        const { code, stdout, stderr } = await new Deno.Command("git", {
          args: [
            ...["-c", "user.name=t", "-c", "user.email=t@localhost"],
            ...args,
          ],
          cwd,
          env: {
            GIT_CONFIG_GLOBAL: "/dev/null",
            GIT_CONFIG_SYSTEM: "/dev/null",
          },
        }).output();
        assert.equal(code, 0, new TextDecoder().decode(stderr));
        return new TextDecoder().decode(stdout).trim();
      };
      await git("init", "--quiet");
      await git("add", ".");
      await git("commit", "--quiet", "-m", "first");
      const head = await git("rev-parse", "HEAD");
      const { code, stderr } = await prompt("--session", `${root}/s.jsonl`);
      assert.equal(code, 0, stderr);
      const kept = (await Deno.readTextFile(`${root}/s.jsonl`)).split("\n")
        .filter((line) => line.includes("git_checkpoint"))
        .map((line) => JSON.parse(line).data);
      assert.deepEqual(kept.map(({ turnIndex }) => turnIndex), [1, 2]);
      assert.deepEqual(
        await Promise.all(
          kept.map(({ commit }) => git("show", `${commit}:note.txt`)),
        ),
        ["beta", "gamma"],
      );
      assert.equal(await git("rev-parse", "HEAD"), head);
      assert.equal(await git("stash", "list"), "");
      assert.equal(
        (await git("for-each-ref", "refs/tau")).split("\n").length,
        2,
      );
    });
  },
);
