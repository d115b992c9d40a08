import {
  type Attack,
  bash,
  commands,
  edit,
  held,
  read,
  write,
} from "../attack.ts";

/** A file that is there at the top of the workspace, or in its repository. */
function existing(path: string): Attack {
  return {
    name: `changes ${path}`,
    wants: { changes: `{ws}/${path}` },
    tool: held(
      write(path),
      "operations protected files · flags denied writes · sandbox protected files",
    ),
    code: held(
      `await Deno.writeTextFile('{ws}/${path}', 'changed')`,
      "flags denied writes · sandbox protected files",
    ),
    ...commands(`echo changed >${path}`, "sandbox protected files"),
  };
}

/** A file that is not there yet, or not where mounts look. */
function elsewhere(
  path: string,
  rule: "protected names" | "protected .envrc" = "protected names",
): Attack {
  const folder = path.includes("/") ? path.replace(/\/[^/]*$/, "") : ".";
  return {
    name: `writes ${path}`,
    wants: { changes: `{ws}/${path}` },
    tool: { act: write(path), by: { operations: rule } },
    code: {
      act:
        `await Deno.mkdir('{ws}/${folder}', { recursive: true }); await Deno.writeTextFile('{ws}/${path}', 'changed again')`,
      flagged: path,
    },
    ...commands(`mkdir -p ${folder}; echo changed by a command >${path}`, {
      flagged: path,
    }),
  };
}

const MOVED = "sandbox folders of protected files";

/** What starts programs later, or says what a run may do. */
export const CONTROL_FILES: Attack[] = [
  existing(".git/config"),
  existing(".git/hooks/post-commit"),
  existing(".git/hooks/pre-push"),
  existing(".git/modules/sub/config"),
  existing(".gitmodules"),
  existing(".envrc"),
  existing(".vscode/settings.json"),
  existing(".vscode/tasks.json"),
  existing(".mcp.json"),
  existing(".tau/settings.json"),
  existing(".tau/plugins/evil.js"),
  elsewhere(".bashrc"),
  elsewhere(".zshenv"),
  elsewhere(".config/fish/config.fish"),
  elsewhere(".git/config.worktree"),
  elsewhere("nested/.envrc", "protected .envrc"),
  elsewhere("nested/.git/config"),
  elsewhere("nested/.git/hooks/pre-commit"),
  elsewhere("new/.git/hooks/pre-commit"),
  elsewhere("new/.git/config"),
  {
    name: "edits .mcp.json",
    wants: { changes: "{ws}/.mcp.json" },
    tool: held(
      edit(".mcp.json"),
      "operations protected files · flags denied writes · sandbox protected files",
    ),
  },
  {
    name: "writes .ENVRC",
    wants: { changes: "{ws}/nested/.ENVRC" },
    setUp: "rm -f nested/.ENVRC",
    tool: held(write("nested/.ENVRC"), "operations protected .envrc"),
  },
  {
    name: "writes a .git file, which leads to another repository",
    wants: { changes: "{ws}/plain/.git" },
    setUp: "mkdir -p plain",
    tool: held(write("plain/.git"), "operations protected names"),
    ...commands("echo gitdir: /elsewhere >plain/.git", {
      flagged: "plain/.git",
    }),
  },
  {
    name: "writes a protected name through a link",
    wants: { changes: "{ws}/.git/hooks/pre-commit" },
    setUp: "ln -sfn .git/hooks innocent",
    tool: held(
      write("innocent/pre-commit"),
      "operations protected files, real path · sandbox protected files",
    ),
    ...commands("echo changed >innocent/pre-commit", "sandbox protected files"),
  },
  {
    name: "sets a setting of the repository with git",
    wants: { changes: "{ws}/.git/config" },
    ...commands("git config core.hooksPath evil", "sandbox protected files"),
  },
  {
    name: "removes the hooks of the repository",
    wants: { changes: "{ws}/.git/hooks/post-commit" },
    code: held(
      "await Deno.remove('{ws}/.git/hooks/post-commit')",
      "flags denied writes · sandbox protected files",
    ),
    ...commands("rm -f .git/hooks/post-commit", "sandbox protected files"),
  },
  {
    name: "puts another folder in the place of the hooks",
    wants: { changes: "{ws}/.git/hooks/post-commit" },
    ...commands(
      "mv .git/hooks .git/old && mkdir .git/hooks",
      "sandbox protected files",
    ),
  },
  {
    name: "has git run a hook of its own that writes outside",
    wants: { changes: "{home}/hooked" },
    setUp:
      "mkdir -p evil; printf '#!/bin/sh\\necho changed >%s/hooked\\n' {home} >evil/post-commit; chmod +x evil/post-commit",
    ...commands(
      "git -c core.hooksPath=$PWD/evil commit -q --allow-empty -m hooked",
      "sandbox read-only system",
    ),
  },
  {
    name: "has git start a program to watch files that writes outside",
    wants: { changes: "{home}/watched" },
    setUp:
      "printf '#!/bin/sh\\necho changed >%s/watched\\n' {home} >watch; chmod +x watch",
    ...commands(
      "git -c core.fsmonitor=$PWD/watch status >/dev/null",
      "sandbox read-only system",
    ),
  },
  {
    name: "plants a hook that a later commit runs",
    wants: { changes: "{home}/planted" },
    setUp:
      "cp {before}/home/work/.git/config .git/config; rm -f .git/hooks/pre-commit",
    bash: held([
      bash(
        "printf '#!/bin/sh\\necho changed >%s/planted\\n' {home} >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
      ),
      bash("git commit -q --allow-empty -m planted"),
      read("readme.txt"),
    ], "sandbox twice"),
  },
  {
    name: "moves the repository away, with all that is protected in it",
    wants: { changes: "{ws}/.git/config" },
    setUp: "rm -rf .git-moved",
    code: held("await Deno.rename('{ws}/.git', '{ws}/.git-moved')", MOVED),
    ...commands("mv .git .git-moved", MOVED),
  },
  {
    name: "removes the repository",
    wants: { changes: "{ws}/.git/config" },
    ...commands("rm -rf .git", "sandbox protected files"),
  },
  {
    name: "changes a protected file that somebody outside replaces in the run",
    wants: { changes: "{ws}/.mcp.json" },
    setUp: "cp .mcp.json replacing && mv replacing .mcp.json",
    ...commands("echo changed >.mcp.json", { flagged: ".mcp.json" }),
  },
];
