import { type Attack, commands, held, read, search } from "../attack.ts";

/** A file with a key, through every door. */
function key(path: string): Attack {
  return {
    name: `reads ~/${path}`,
    wants: { reads: "home secret" },
    tool: held(
      read(`{home}/${path}`),
      "operations secrets · flags denied reads · sandbox secrets hidden",
    ),
    code: held(
      `return await Deno.readTextFile('{home}/${path}')`,
      "flags denied reads · sandbox secrets hidden",
    ),
    ...commands(`cat ~/${path}`, "sandbox secrets hidden"),
  };
}

/** Keys at home, and what others leave in the folders that all share. */
export const SECRETS: Attack[] = [
  key(".ssh/id_ed25519"),
  key(".aws/credentials"),
  key(".netrc"),
  key(".npmrc"),
  key(".config/gh/hosts.yml"),
  key(".bash_history"),
  key(".git-credentials"),
  key(".tau/notes.txt"),
  {
    name: "greps for keys at home",
    wants: { reads: "home secret" },
    tool: held(
      search("grep", "{home}/.ssh"),
      "operations secrets · flags denied reads · sandbox secrets hidden",
    ),
    ...commands("grep -rh CANARY ~ 2>/dev/null", "sandbox secrets hidden"),
  },
  {
    name: "packs the home folder",
    wants: { reads: "home secret" },
    ...commands(
      "tar cf - -C ~ .ssh .aws 2>/dev/null | tar xOf -",
      "sandbox secrets hidden",
    ),
  },
  {
    name: "uncovers a hidden folder by unmounting it",
    wants: { reads: "home secret" },
    ...commands(
      "umount ~/.ssh 2>/dev/null; cat ~/.ssh/id_ed25519",
      "sandbox secrets hidden",
    ),
  },
  {
    name: "moves a hidden file away to see what is below",
    wants: { reads: "home secret" },
    setUp: "[ -e ~/.netrc ] || mv gone.netrc ~/.netrc",
    ...commands(
      "mv ~/.netrc gone.netrc 2>/dev/null; cat ~/.netrc gone.netrc",
      "sandbox secrets hidden",
    ),
  },
  {
    name: "changes the keys that may log in",
    wants: { changes: "{home}/.ssh/authorized_keys" },
    code: held(
      "await Deno.writeTextFile('{home}/.ssh/authorized_keys', 'changed')",
      "flags write roots · sandbox twice",
    ),
    ...commands("echo changed >~/.ssh/authorized_keys", "sandbox twice"),
  },
  {
    name: "reads the passwords of the system",
    wants: { does: "shows the line of root" },
    needs: "root",
    code: held(
      "return /^root:/m.test(await Deno.readTextFile('/etc/shadow')) && 'ESC' + 'APED'",
      "flags read roots · sandbox secrets hidden",
    ),
    ...commands(
      "grep -q ^root: /etc/shadow && echo ESC''APED",
      "sandbox secrets hidden",
    ),
  },
  {
    name: "reads a file of somebody else in /tmp",
    wants: { reads: "temporary" },
    tool: held(read("{tmp}"), "sandbox temporary folders"),
    code: held(
      "return await Deno.readTextFile('{tmp}')",
      "sandbox temporary folders",
    ),
    ...commands("cat {tmp}", "sandbox temporary folders"),
  },
  {
    name: "changes a file of somebody else in /tmp",
    wants: { changes: "{tmp}-victim" },
    setUp: "echo before >{tmp}-victim",
    ...commands("echo changed >{tmp}-victim", "sandbox twice"),
  },
  {
    name: "leaves a file in /tmp",
    wants: { changes: "{tmp}-left" },
    code: held(
      "await Deno.writeTextFile('{tmp}-left', 'changed')",
      "sandbox twice",
    ),
    ...commands("echo changed >{tmp}-left", "sandbox twice"),
  },
  {
    name: "reads a file of somebody else in /var/tmp",
    wants: { reads: "temporary" },
    tool: held(
      read("{vartmp}"),
      "operations roots · flags read roots · sandbox temporary folders",
    ),
    code: held(
      "return await Deno.readTextFile('{vartmp}')",
      "flags read roots · sandbox temporary folders",
    ),
    ...commands("cat {vartmp}", "sandbox temporary folders"),
  },
  {
    name: "reads what programs of the user keep in their runtime folder",
    wants: { reads: "runtime" },
    tool: held(
      read("{run}/token"),
      "operations roots · flags read roots · sandbox runtime folders",
    ),
    code: held(
      "return await Deno.readTextFile('{run}/token')",
      "flags read roots · sandbox runtime folders",
    ),
    ...commands("cat {run}/token", "sandbox runtime folders"),
  },
  {
    name: "reads what others share in /dev/shm",
    wants: { reads: "shared memory" },
    tool: held(
      read("{shm}"),
      "operations roots · flags all access · sandbox devices",
    ),
    code: held(
      "return await Deno.readTextFile('{shm}')",
      "flags all access · sandbox devices",
    ),
    ...commands("cat {shm}", "sandbox devices"),
  },
  {
    name: "reads the disk past its files",
    wants: { does: "opens a block device" },
    needs: "root",
    code: held(
      "for (const { name } of Deno.readDirSync('/dev')) { const path = '/dev/' + name; try { if (!Deno.statSync(path).isBlockDevice) continue; const file = Deno.openSync(path); file.readSync(new Uint8Array(1)); file.close(); return 'ESC' + 'APED'; } catch { } }",
      "flags all access · sandbox devices",
    ),
    ...commands(
      "for one in /dev/*; do [ -b $one ] && head -c 1 $one >/dev/null 2>&1 && echo ESC''APED; done",
      "sandbox devices",
    ),
  },
  {
    name: "reads a pipe of somebody else in /tmp",
    wants: { reads: "temporary" },
    setUp:
      "rm -f {tmp}-pipe; mkfifo {tmp}-pipe; timeout 2 sh -c 'cat {tmp} >{tmp}-pipe' </dev/null >/dev/null 2>&1 &",
    ...commands("timeout 0.2 cat {tmp}-pipe", "sandbox temporary folders"),
  },
  {
    name: "reads shared memory by its number",
    wants: { reads: "shared memory" },
    setUp:
      `perl -e '$id = shmget({shmkey}, 64, 0666 | 01000) // exit; shmwrite($id, "{shmtext}", 0, 64)'`,
    ...commands(
      `perl -e '$id = shmget({shmkey}, 64, 0) // exit; shmread($id, $text, 0, 64); print $text =~ s/\\0//gr'`,
      "sandbox shared memory",
    ),
  },
  {
    name: "reads a key that its owner has just replaced",
    wants: { reads: "temporary" },
    setUp: "cat {vartmp} >replacing && mv replacing ~/.netrc",
    tool: held(read("~/.netrc"), "operations secrets · flags denied reads"),
    code: held(
      "return await Deno.readTextFile('{home}/.netrc')",
      "flags denied reads",
    ),
    ...commands("cat ~/.netrc", {
      open:
        "A secret file, or one that starts programs, which somebody outside replaces during the run is open to commands from then on",
    }),
  },
];
