import assert from "node:assert/strict";
import type { RunResult } from "../../src/protocol/result_schema.ts";
import { atOnce } from "../support/at_once.ts";
import { type BashRun, runBash } from "../support/bash_run.ts";
import { type Need, needing } from "../support/needs.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";

type SandboxState = RunResult["sandbox"]["state"];

/** Fails unless every command succeeded, confined or not as it should be. */
function assertDone(
  { results, record, stderr }: BashRun,
  state: SandboxState = "confined",
): void {
  assert.equal(record.status, "completed", stderr);
  assert.equal(record.sandbox.state, state, record.sandbox.reason);
  assert.equal(record.failedToolCalls, 0, results.join("\n"));
}

/** A repository with one commit, and a linked worktree beside it. */
async function makeRepository(root: string): Promise<void> {
  const script = `
    git init -q repo && cd repo && mkdir -p src/deep .git/hooks
    echo one >src/deep/a.txt && git add . && git commit -qm first
    git worktree add -q ../tree`;
  const author = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b" };
  const { success, stderr } = await new Deno.Command("bash", {
    args: ["-ec", script],
    cwd: root,
    env: { ...author, GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" },
  }).output();
  assert(success, new TextDecoder().decode(stderr));
}

needing("bubblewrap", "git", "perl")(
  "tau lets commands use git in a repository, its subfolders and linked worktrees, but not its hooks",
  async () => {
    await inTempFolder(async (root) => {
      await makeRepository(root);
      const git = "git -c user.name=a -c user.email=a@b";
      for (const folder of ["repo", "repo/src/deep", "tree"]) {
        const cwd = `${root}/${folder}`;
        const run = await runBash([
          "git status --short",
          `echo two >b.txt && git add b.txt && ${git} commit -qm second`,
          "git switch -qc topic-$RANDOM && git log --oneline | wc -l",
          'common=$(git rev-parse --git-common-dir); for name in config hooks/post-commit; do echo x 2>/dev/null >>"$common/$name" && echo "wrote $name"; done; perl -e "exit !rename(shift, q(gone))" "$common" && echo moved; true',
        ], { cwd });
        assertDone(run);
        assert.equal(
          run.results[2]?.trim(),
          folder === "repo/src/deep" ? "3" : "2",
        );
        assert.match(run.results[3] ?? "", /no output/);
      }
      const hooks = await Array.fromAsync(
        Deno.readDir(`${root}/repo/.git/hooks`),
      );
      assert.deepEqual(hooks.filter(({ name }) => name === "post-commit"), []);
    });
  },
);

needing("bubblewrap", "git")(
  "tau takes no folder into the workspace that a .git file names without being named back",
  async () => {
    await inTempFolder(async (root) => {
      await makeRepository(root);
      await putFiles(root, {
        "trap/.git": `gitdir: ${root}/repo/.git/worktrees/tree\n`,
        "other/.git": `gitdir: ${root}/repo/.git\n`,
      });
      await atOnce(["trap", "other"], async (folder) => {
        const cwd = `${root}/${folder}`;
        const run = await runBash([`ls ${root}/repo 2>&1; true`], { cwd });
        assertDone(run);
        assert.deepEqual(
          run.record.capabilities.granted.commandsWrite.slice(0, -1),
          [cwd],
        );
        assert.match(run.results[0] ?? "", /No such file/);
      });
    });
  },
);

const SETTINGS: [SandboxState, args: string[], ...Need[]][] = [
  ["confined", [], "bubblewrap"],
  ["unconfined", ["--sandbox", "off"]],
];

for (const [state, args, ...needs] of SETTINGS) {
  needing(...needs, "npm")(
    `tau lets commands run npm test, and a server that lives to the end of the run, ${state}`,
    async () => {
      await inTempFolder(async (cwd) => {
        await putFiles(cwd, {
          "package.json": '{"scripts":{"test":"node test.js"}}',
          "test.js":
            'require("node:assert").equal(require("./sum")(1, 2), 3); console.log("passed")',
          "sum.js": "module.exports = (a, b) => a + b;",
          "server.js":
            'const server = require("node:http").createServer((_, answer) => answer.end("served")); server.listen(0, "127.0.0.1", () => require("node:fs").writeFileSync("port", `${server.address().port}\\n`));',
        });
        const run = await runBash([
          "npm test",
          "node server.js >server.log 2>&1 & until [ -s port ]; do sleep 0.02; done",
          "node -e 'fetch(`http://127.0.0.1:${fs.readFileSync(`port`, `utf8`).trim()}`).then((r) => r.text()).then(console.log)'",
          "mktemp >/dev/null && echo $TMPDIR",
        ], { cwd, args });
        assertDone(run, state);
        const [test, , served, temp] = run.results;
        assert.match(test ?? "", /passed/);
        assert.equal(served?.trim(), "served");
        assert.match(
          temp ?? "",
          state === "confined" ? /^\/tmp\s*$/ : /^\/.*tmp/,
        );
        assert.deepEqual(run.left, []);
      });
    },
  );

  needing(...needs, "C compiler")(
    `tau lets commands run a compiler and what it makes, ${state}`,
    async () => {
      await inTempFolder(async (cwd) => {
        await putFiles(cwd, {
          "main.c":
            '#include <stdio.h>\nint main(void) { puts("compiled"); }\n',
        });
        const run = await runBash(["cc main.c -o main && ./main"], {
          cwd,
          args,
        });
        assertDone(run, state);
        assert.equal(run.results[0]?.trim(), "compiled");
      });
    },
  );
}
