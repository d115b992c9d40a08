import assert from "node:assert/strict";
import { ControlFiles } from "../../src/host/control_files.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";

/** Changes that a watch over a folder told, with paths below it and without the head of each diff. */
async function changesIn(
  before: Record<string, string>,
  change: (root: string) => Promise<unknown>,
  look: "lookAtTop" | "lookAtAll" = "lookAtAll",
): Promise<string[]> {
  const told: string[] = [];
  await inTempFolder(async (root) => {
    await putFiles(root, before);
    const watch = new ControlFiles({
      roots: [root],
      gitFolders: [`${root}/.git`],
    });
    await watch.ready;
    await change(root);
    const events = await watch[look]();
    const report = watch.takeReport();
    assert.deepEqual(
      report?.changed ?? [],
      events.map(({ type: _, ...event }) => event),
    );
    assert.equal(watch.takeReport(), undefined);
    assert.deepEqual(await watch[look](), [], "changes are told once");
    for (const { path, change, diff = "no diff" } of events) {
      told.push(
        `${change} ${path.slice(root.length + 1)} ${
          diff.split("\n").filter((line) => !/^(---|\+\+\+|@@)/.test(line))
            .join("|")
        }`,
      );
    }
  });
  return told.sort();
}

const CONFIG = "[core]\n\tbare = false\n";

Deno.test("ControlFiles tells of control files that came to be, changed and went", async () => {
  const before = {
    ".git/config": CONFIG,
    ".git/hooks/pre-commit": "old\n",
    ".envrc": "a\n",
    "sub/.vscode/tasks.json": "{}\n",
    "README.md": "x",
  };
  const told = await changesIn(before, async (root) => {
    await putFiles(root, {
      ".git/config": `${CONFIG}\thooksPath = x\n`,
      ".git/hooks/post-checkout": "evil\n",
      ".git/hooks/update.sample": "an example\n",
      "sub/deep/.bashrc": "rm\n",
      "sub/.vscode/tasks.json": "{ }\n",
      "README.md": "y",
      ".github/workflows/x.yml": "y",
    });
    await Deno.remove(`${root}/.envrc`);
  });
  assert.deepEqual(told, [
    "changed .git/config  [core]| \tbare = false|+\thooksPath = x|",
    "changed sub/.vscode/tasks.json -{}|+{ }|",
    "created .git/hooks/post-checkout +evil|",
    "created sub/deep/.bashrc +rm|",
    "removed .envrc -a|",
  ]);
});

Deno.test("ControlFiles says nothing of what runs store themselves in .tau of a home folder", async () => {
  const told = await changesIn({ ".tau/sessions/a": "1" }, async (root) => {
    await putFiles(root, {
      ".tau/sessions/a": "2",
      ".tau/sessions/b/c": "2",
      ".tau/tmp/d/e": "2",
      ".tau/plugins/tmp/f.ts": "evil\n",
      ".tau/trust.json": "{}\n",
    });
  });
  assert.deepEqual(told, [
    "created .tau/plugins/tmp/f.ts +evil|",
    "created .tau/trust.json +{}|",
  ]);
});

Deno.test("ControlFiles tells of repositories that are new, moved in, or have no working tree", async () => {
  const told = await changesIn(
    { "away/old/.git/config": "[x]\n" },
    async (root) => {
      await putFiles(root, {
        "sub/new/.git/config": CONFIG,
        "sub/new/.git/HEAD": "ref: x\n",
        "sub/new/.git/modules/m/config": "[m]\n",
        "bare.git/HEAD": "ref: x\n",
        "bare.git/config": "[bare]\n",
        "bare.git/hooks/update": "evil\n",
        "linked/.git": "gitdir: /elsewhere\n",
        "node_modules/p/.git/config": "[p]\n",
      });
      await Deno.mkdir(`${root}/bare.git/objects`);
      await Deno.mkdir(`${root}/bare.git/refs`);
      await Deno.rename(`${root}/away/old`, `${root}/sub/moved`);
    },
  );
  assert.deepEqual(told, [
    "created bare.git/config +[bare]|",
    "created bare.git/hooks/update +evil|",
    "created linked/.git +gitdir: /elsewhere|",
    "created node_modules/p/.git/config +[p]|",
    "created sub/moved/.git/config +[x]|",
    "created sub/new/.git/config +[core]|+\tbare = false|",
    "created sub/new/.git/modules/m/config +[m]|",
    "removed away/old/.git/config -[x]|",
  ]);
});

Deno.test("ControlFiles sees links, modes and files that are no text, and keeps away from pipes", async () => {
  const before = { ".git/hooks/a": "a\n", ".git/hooks/b": "b\n" };
  const told = await changesIn(before, async (root) => {
    await Deno.chmod(`${root}/.git/hooks/a`, 0o755);
    await Deno.remove(`${root}/.git/hooks/b`);
    await Deno.symlink("/bin/true", `${root}/.git/hooks/b`);
    await Deno.writeFile(`${root}/.git/hooks/c`, new Uint8Array([0, 1]));
    await Deno.writeFile(`${root}/.profile`, new Uint8Array(100_000));
    await new Deno.Command("mkfifo", { args: [`${root}/.bashrc`] }).output();
  });
  assert.deepEqual(
    told,
    [
      "changed .git/hooks/a old mode 100644|new mode 100755|",
      "changed .git/hooks/b old mode 100644|new mode 120777|-b|+link to /bin/true|\\ No newline at end of file|",
      "created .bashrc no diff",
      "created .git/hooks/c no diff",
      "created .profile no diff",
    ],
  );
});

Deno.test("ControlFiles shows nothing of what lies behind a link, in whatever folder on the way", async () => {
  await inTempFolder(async (home) => {
    await putFiles(home, {
      ".kube/config": "token\n",
      "share/fish/fish_history": "typed\n",
      "vscode/settings.json": "mine\n",
    });
    const told = await changesIn({}, async (root) => {
      await Deno.mkdir(`${root}/new/.git`, { recursive: true });
      await Deno.symlink(home, `${root}/new/.git/modules`);
      await Deno.symlink(`${home}/.kube`, `${root}/new/.git/worktrees`);
      await Deno.symlink(`${home}/share`, `${root}/.config`);
      await Deno.symlink(`${home}/vscode`, `${root}/.vscode`);
    });
    const end = "|\\ No newline at end of file|";
    assert.deepEqual(told, [
      `created .config +link to ${home}/share${end}`,
      `created .vscode +link to ${home}/vscode${end}`,
    ]);
  });
});

Deno.test("ControlFiles says nothing of a file that was written with what it held", async () => {
  const told = await changesIn({ ".git/config": CONFIG }, async (root) => {
    await Deno.remove(`${root}/.git/config`);
    await putFiles(root, { ".git/config": CONFIG });
  });
  assert.deepEqual(told, []);
});

Deno.test("ControlFiles.lookAtTop() sees the repository and the top of the folder", async () => {
  const told = await changesIn(
    { ".envrc": "a\n", "sub/x": "" },
    async (root) => {
      await putFiles(root, {
        ".git/hooks/pre-push": "evil\n",
        ".mcp.json": "{}\n",
        "sub/.envrc": "b\n",
      });
      await Deno.remove(`${root}/.envrc`);
    },
    "lookAtTop",
  );
  assert.deepEqual(told, [
    "created .git/hooks/pre-push +evil|",
    "created .mcp.json +{}|",
    "removed .envrc -a|",
  ]);
});

Deno.test("ControlFiles keeps a change that was taken back, and cuts long diffs short", async () => {
  await inTempFolder(async (root) => {
    const watch = new ControlFiles({ roots: [root], gitFolders: [] });
    await watch.ready;
    await putFiles(root, { ".envrc": "line\n".repeat(5000) });
    const [created] = await watch.lookAtTop();
    assert((created?.diff?.length ?? 0) < 4100);
    await Deno.remove(`${root}/.envrc`);
    const [removed] = await watch.lookAtAll();
    assert.equal(removed?.change, "removed");
    assert.equal(watch.takeReport()?.changed.length, 1);
  });
});

Deno.test("ControlFiles stops looking in a tree that is too deep, and says so", async () => {
  await inTempFolder(async (root) => {
    await Deno.mkdir(`${root}${"/d".repeat(40)}`, { recursive: true });
    const watch = new ControlFiles({ roots: [root], gitFolders: [] });
    await watch.ready;
    await putFiles(root, { [`${"d/".repeat(39)}.envrc`]: "deep\n" });
    assert.deepEqual(await watch.lookAtAll(), []);
    assert.deepEqual(watch.takeReport(), { changed: [], isPartial: true });
  });
});
