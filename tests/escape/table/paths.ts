import {
  type Attack,
  bash,
  child,
  code,
  commands,
  edit,
  held,
  read,
  search,
  write,
} from "../attack.ts";

/** Words of a call that would widen what a run may touch, if tools took any. */
const WIDER = {
  roots: ["/"],
  allowRead: ["/"],
  allowWrite: ["/"],
  cwd: "/",
  policy: { readRoots: ["/"], writeRoots: ["/"] },
};

const NO_SANDBOX = {
  sandbox: "off",
  dangerouslyDisableSandbox: true,
  with_escalated_permissions: true,
};

/** Ways out by naming what lies outside. */
export const PATHS: Attack[] = [
  {
    name: "reads above the workspace with ..",
    wants: { reads: "outside" },
    tool: held(read("../../away/s.txt"), "operations roots · flags read roots"),
    code: held(
      "return await Deno.readTextFile('../../away/s.txt')",
      "flags read roots",
    ),
  },
  {
    name: "reads by an absolute path",
    wants: { reads: "outside" },
    tool: held(read("{away}/s.txt"), "operations roots · flags read roots"),
    code: held(
      "return Deno.readTextFileSync('{away}/s.txt')",
      "flags read roots",
    ),
    ...commands("cat {away}/s.txt", {
      open:
        "Commands read the system and, but for its secrets, the home folder",
    }),
  },
  {
    name: "reads by a file: URL",
    wants: { reads: "outside" },
    tool: held(
      read("file://{away}/s.txt"),
      "operations roots · flags read roots",
    ),
    code: held(
      "return await Deno.readTextFile(new URL('file://{away}/s.txt'))",
      "flags read roots",
    ),
  },
  {
    name: "fetches a file: URL",
    wants: { reads: "outside" },
    code: held(
      "return await (await fetch('file://{away}/s.txt')).text()",
      "flags read roots",
    ),
  },
  {
    name: "reads by ~",
    wants: { reads: "home secret" },
    tool: held(
      read("~/.ssh/id_ed25519"),
      "operations secrets · flags denied reads · sandbox secrets hidden",
    ),
  },
  {
    name: "reads by a path with @ and spaces",
    wants: { reads: "outside" },
    tool: held(
      read("@{away}/./names/..//s.txt"),
      "operations roots · flags read roots",
    ),
  },
  {
    name: "reads through /proc/self/root",
    wants: { reads: "home secret" },
    tool: held(
      read("/proc/self/root{home}/.ssh/id_ed25519"),
      "operations secrets · flags all access · sandbox secrets hidden",
    ),
    code: held(
      "return await Deno.readTextFile('/proc/self/root{home}/.ssh/id_ed25519')",
      "flags all access · sandbox secrets hidden",
    ),
    ...commands(
      "cat /proc/self/root{home}/.ssh/id_ed25519",
      "sandbox secrets hidden",
    ),
  },
  {
    name: "reads through the working folder of another process",
    wants: { reads: "outside" },
    tool: held(
      read("/proc/{victim}/cwd/s.txt"),
      "operations roots · flags all access · sandbox twice",
    ),
    code: held(
      "return await Deno.readTextFile('/proc/{victim}/cwd/s.txt')",
      "flags all access · sandbox twice",
    ),
    ...commands("cat /proc/{victim}/cwd/s.txt", "sandbox twice"),
  },
  {
    name: "greps outside",
    wants: { reads: "outside" },
    tool: held(search("grep", "{away}"), "operations roots · flags read roots"),
  },
  {
    name: "finds names outside",
    wants: { reads: "outside name" },
    tool: held(search("find", "{away}"), "operations roots · flags read roots"),
  },
  {
    name: "lists names outside",
    wants: { reads: "outside name" },
    tool: held(
      search("ls", "../../away/names"),
      "operations roots · flags read roots",
    ),
    code: held(
      "return (await Array.fromAsync(Deno.readDir('{away}/names'))).map((one) => one.name).join()",
      "flags read roots",
    ),
  },
  {
    name: "reads with arguments that name roots",
    wants: { reads: "outside" },
    tool: held(
      read("{away}/s.txt", WIDER),
      "operations roots · flags read roots",
    ),
  },
  {
    name: "writes with arguments that name roots",
    wants: { changes: "{home}/named.txt" },
    tool: held(
      write("{home}/named.txt", WIDER),
      "operations roots · flags write roots · sandbox read-only system",
    ),
  },
  {
    name: "writes with arguments that switch the sandbox off",
    wants: { changes: "{home}/notes.txt" },
    bash: held({
      tool: "bash",
      arguments: { command: "echo changed >{home}/notes.txt", ...NO_SANDBOX },
    }, "sandbox read-only system"),
  },
  {
    name: "writes above the workspace with ..",
    wants: { changes: "{home}/new.txt" },
    tool: held(
      write("../new.txt"),
      "operations roots · flags write roots · sandbox read-only system",
    ),
    code: held(
      "await Deno.writeTextFile('../new.txt', 'changed')",
      "flags write roots · sandbox read-only system",
    ),
    ...commands("echo changed >../new.txt", "sandbox read-only system"),
  },
  {
    name: "edits a file at home",
    wants: { changes: "{home}/notes.txt" },
    tool: held(
      edit("{home}/notes.txt"),
      "operations roots · flags write roots · sandbox read-only system",
    ),
  },
  {
    name: "changes a start-up file of the shell",
    wants: { changes: "{home}/.bashrc" },
    code: held(
      "await Deno.writeTextFile('{home}/.bashrc', 'changed', { append: true })",
      "flags write roots · sandbox read-only system",
    ),
    ...commands("echo changed >>~/.bashrc", "sandbox read-only system"),
  },
  {
    name: "makes a folder outside",
    wants: { changes: "{home}/made" },
    code: held(
      "await Deno.mkdir('{home}/made')",
      "flags write roots · sandbox read-only system",
    ),
    ...commands("mkdir {home}/made", "sandbox read-only system"),
  },
  {
    name: "removes a file outside",
    wants: { changes: "{home}/notes.txt" },
    code: held(
      "await Deno.remove('{home}/notes.txt')",
      "flags write roots · sandbox read-only system",
    ),
    ...commands("rm {home}/notes.txt", "sandbox read-only system"),
  },
  {
    name: "moves a file out of its place",
    wants: { changes: "{home}/notes.txt" },
    code: held(
      "await Deno.rename('{home}/notes.txt', '{ws}/moved')",
      "flags write roots · sandbox mounts apart",
    ),
    ...commands("mv {home}/notes.txt moved", "sandbox read-only system"),
  },
  {
    name: "changes the mode of a file outside",
    wants: { changes: "{home}/notes.txt" },
    code: held(
      "await Deno.chmod('{home}/notes.txt', 0o777)",
      "flags write roots · sandbox read-only system",
    ),
    ...commands("chmod 777 {home}/notes.txt", "sandbox read-only system"),
  },
  {
    name: "changes the time of a file outside",
    wants: { changes: "{home}/notes.txt" },
    code: held(
      "await Deno.utime('{home}/notes.txt', 1, 1)",
      "flags write roots · sandbox read-only system",
    ),
    ...commands("touch -d @1 {home}/notes.txt", "sandbox read-only system"),
  },
  {
    name: "cuts a file outside",
    wants: { changes: "{home}/notes.txt" },
    code: held(
      "await Deno.truncate('{home}/notes.txt', 1)",
      "flags write roots · sandbox read-only system",
    ),
    ...commands("truncate -s 1 {home}/notes.txt", "sandbox read-only system"),
  },
  {
    name: "puts a link outside",
    wants: { changes: "{home}/linked" },
    code: held(
      "await Deno.symlink('{ws}', '{home}/linked')",
      "flags all access · sandbox read-only system",
    ),
    ...commands("ln -s {ws} {home}/linked", "sandbox read-only system"),
  },
  {
    name: "goes elsewhere and reads from there",
    wants: { reads: "outside" },
    code: held(
      "const here = Deno.cwd(); Deno.chdir('{away}'); try { return await Deno.readTextFile('s.txt'); } finally { Deno.chdir(here); }",
      "flags read roots",
    ),
  },
  {
    name: "goes elsewhere and has a tool read from there",
    wants: { reads: "outside" },
    tool: held([
      code("Deno.chdir('{home}')"),
      read("../../away/s.txt"),
      code("Deno.chdir('{ws}')"),
    ], "operations roots · flags read roots"),
  },
  {
    name: "has a later command read what an earlier one has copied",
    wants: { reads: "home secret" },
    tool: held([
      bash("cp -r {home}/.ssh copied"),
      child("cp -r {home}/.ssh copied"),
      read("copied/id_ed25519"),
    ], "sandbox secrets hidden"),
  },
  {
    name: "reads a pipe of the workspace, which may never end",
    wants: { reads: "temporary" },
    setUp:
      "rm -f pipe; mkfifo pipe; timeout 2 sh -c 'cat {vartmp} >pipe' </dev/null >/dev/null 2>&1 &",
    tool: held(read("pipe"), "operations kinds of files"),
  },
];
