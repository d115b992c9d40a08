import assert from "node:assert/strict";
import { call, say } from "../support/provider_double.ts";
import { withShippedPlugin } from "../support/shipped_plugin.ts";

const RM = call("bash", { command: "rm -rf build" });

Deno.test("permission_gate refuses a dangerous command where nobody can be asked, and lets others through", async () => {
  await withShippedPlugin("permission_gate.ts", {
    script: [
      say("", RM, call("bash", { command: "echo harmless" })),
      say("ok"),
    ],
    files: { "work/build/out.txt": "kept" },
  }, async ({ prompt, results, cwd }) => {
    const { code } = await prompt();
    const [refused, echoed] = results();
    assert.equal(code, 0);
    assert.match(refused ?? "", /removes files for good, and nobody can be/);
    assert.match(echoed ?? "", /^harmless/);
    assert.equal(await Deno.readTextFile(`${cwd}/build/out.txt`), "kept");
  });
});

for (const [answer, isRun] of [["true", true], ["false", false]] as const) {
  Deno.test(`permission_gate asks who can answer, and ${isRun ? "runs" : "does not run"} the command when the answer is ${answer}`, async () => {
    await withShippedPlugin("permission_gate.ts", {
      script: [say("", RM), say("ok")],
      files: { "work/build/out.txt": "text" },
    }, async ({ plugin, results, rpc, cwd }) => {
      await rpc(["--plugin", plugin], async (tau) => {
        await tau.send({ id: "1", type: "prompt", message: "clean up" });
        await tau.printed(/extension_ui_request.*\n/);
        const question = tau.stdout.split("\n").map((line) =>
          line === "" ? {} : JSON.parse(line)
        ).find(({ type }) => type === "extension_ui_request");
        assert.equal(question.method, "confirm");
        assert.match(question.message, /rm -rf build/);
        await tau.send({
          type: "extension_ui_response",
          id: question.id,
          confirmed: JSON.parse(answer),
        });
        await tau.endStdin();
        await tau.ended();
      });
      const isThere = await Deno.stat(`${cwd}/build`).catch(() => undefined);
      assert.equal(isThere === undefined, isRun);
      assert.equal(/did not allow it/.test(results()[0] ?? ""), !isRun);
    });
  });
}

Deno.test("protected_paths keeps protected names from being written, also behind links and dots", async () => {
  await withShippedPlugin("protected_paths.ts", {
    script: [
      say(
        "",
        call("write", { path: ".env", content: "x" }),
        call("write", { path: "a/../.env", content: "x" }),
        call("write", { path: "link.txt", content: "x" }),
        call("write", { path: "migrations/1.sql", content: "x" }),
        call("edit", {
          path: "migrations/0.sql",
          edits: [{ oldText: "a", newText: "b" }],
        }),
        call("write", { path: "free.txt", content: "x" }),
      ),
      say("ok"),
    ],
    files: { "work/.env": "KEY=1", "work/migrations/0.sql": "a" },
  }, async ({ prompt, results, cwd }) => {
    await Deno.symlink(".env", `${cwd}/link.txt`);
    await prompt("--plugin-flag", "protected_paths=.env,migrations");
    const said = results();
    assert.equal(said.length, 6);
    for (const text of said.slice(0, 5)) assert.match(text, / is protected /);
    assert.equal(await Deno.readTextFile(`${cwd}/.env`), "KEY=1");
    assert.equal(await Deno.readTextFile(`${cwd}/migrations/0.sql`), "a");
    assert.equal(await Deno.readTextFile(`${cwd}/free.txt`), "x");
  });
});

Deno.test("redact_secrets takes credentials out of results and of progress, wherever they are told", async () => {
  const secret = "sk-abcdefghijklmnop1234";
  await withShippedPlugin("redact_secrets.ts", {
    script: [
      say(
        "",
        call("read", { path: "config.txt" }),
        call("bash", { command: "cat config.txt; sleep 0.3" }),
      ),
      say("ok"),
    ],
    files: { "work/config.txt": `key ${secret}\npassword: hunter2hunter2\n` },
  }, async ({ prompt, results, root }) => {
    const { stdout, stderr } = await prompt("--session", `${root}/s.jsonl`);
    const [read, bash] = results();
    assert.equal(read, "key [redacted]\npassword: [redacted]\n");
    assert.match(bash ?? "", /^key \[redacted\]/);
    assert.match(stdout, /"tool_execution_update".*\[redacted\]/);
    const stored = await Deno.readTextFile(`${root}/s.jsonl`);
    for (const text of [stdout, stderr, stored]) {
      assert(!text.includes(secret) && !text.includes("hunter2"), text);
    }
  });
});
