import { type Attack, commands, read, search } from "../attack.ts";

/** A file with a key, through every door. */
function key(path: string): Attack {
  return {
    name: `reads ~/${path}`,
    wants: { reads: "home secret" },
    tool: {
      act: read(`{home}/${path}`),
      by: {
        operations: "secrets",
        flags: "denied reads",
        sandbox: "secrets hidden",
      },
    },
    code: {
      act: `return await Deno.readTextFile('{home}/${path}')`,
      by: { flags: "denied reads", sandbox: "secrets hidden" },
    },
    ...commands(`cat ~/${path}`, { by: { sandbox: "secrets hidden" } }),
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
    tool: {
      act: search("grep", "{home}/.ssh"),
      by: {
        operations: "secrets",
        flags: "denied reads",
        sandbox: "secrets hidden",
      },
    },
    ...commands("grep -rh CANARY ~ 2>/dev/null", {
      by: { sandbox: "secrets hidden" },
    }),
  },
  {
    name: "packs the home folder",
    wants: { reads: "home secret" },
    ...commands("tar cf - -C ~ .ssh .aws 2>/dev/null | tar xOf -", {
      by: { sandbox: "secrets hidden" },
    }),
  },
  {
    name: "uncovers a hidden folder by unmounting it",
    wants: { reads: "home secret" },
    ...commands("umount ~/.ssh 2>/dev/null; cat ~/.ssh/id_ed25519", {
      by: { sandbox: "secrets hidden" },
    }),
  },
  {
    name: "moves a hidden file away to see what is below",
    wants: { reads: "home secret" },
    setUp: "[ -e ~/.netrc ] || mv gone.netrc ~/.netrc",
    ...commands("mv ~/.netrc gone.netrc 2>/dev/null; cat ~/.netrc gone.netrc", {
      by: { sandbox: "secrets hidden" },
    }),
  },
  {
    name: "changes the keys that may log in",
    wants: { changes: "{home}/.ssh/authorized_keys" },
    code: {
      act: "await Deno.writeTextFile('{home}/.ssh/authorized_keys', 'changed')",
      by: {
        flags: "write roots",
        sandbox: "twice",
      },
    },
    ...commands("echo changed >~/.ssh/authorized_keys", {
      by: { sandbox: "twice" },
    }),
  },
  {
    name: "reads the passwords of the system",
    wants: { does: "shows the line of root" },
    needs: "root",
    code: {
      act:
        "return /^root:/m.test(await Deno.readTextFile('/etc/shadow')) && 'ESC' + 'APED'",
      by: { flags: "read roots", sandbox: "secrets hidden" },
    },
    ...commands("grep -q ^root: /etc/shadow && echo ESC''APED", {
      by: { sandbox: "secrets hidden" },
    }),
  },
  {
    name: "reads a file of somebody else in /tmp",
    wants: { reads: "temporary" },
    tool: { act: read("{tmp}"), by: { sandbox: "temporary folders" } },
    code: {
      act: "return await Deno.readTextFile('{tmp}')",
      by: { sandbox: "temporary folders" },
    },
    ...commands("cat {tmp}", { by: { sandbox: "temporary folders" } }),
  },
  {
    name: "changes a file of somebody else in /tmp",
    wants: { changes: "{tmp}-victim" },
    setUp: "echo before >{tmp}-victim",
    ...commands("echo changed >{tmp}-victim", {
      by: { sandbox: "twice" },
    }),
  },
  {
    name: "leaves a file in /tmp",
    wants: { changes: "{tmp}-left" },
    code: {
      act: "await Deno.writeTextFile('{tmp}-left', 'changed')",
      by: { sandbox: "twice" },
    },
    ...commands("echo changed >{tmp}-left", {
      by: { sandbox: "twice" },
    }),
  },
  {
    name: "reads a file of somebody else in /var/tmp",
    wants: { reads: "temporary" },
    tool: {
      act: read("{vartmp}"),
      by: {
        operations: "roots",
        flags: "read roots",
        sandbox: "temporary folders",
      },
    },
    code: {
      act: "return await Deno.readTextFile('{vartmp}')",
      by: { flags: "read roots", sandbox: "temporary folders" },
    },
    ...commands("cat {vartmp}", { by: { sandbox: "temporary folders" } }),
  },
  {
    name: "reads what programs of the user keep in their runtime folder",
    wants: { reads: "runtime" },
    tool: {
      act: read("{run}/token"),
      by: {
        operations: "roots",
        flags: "read roots",
        sandbox: "runtime folders",
      },
    },
    code: {
      act: "return await Deno.readTextFile('{run}/token')",
      by: { flags: "read roots", sandbox: "runtime folders" },
    },
    ...commands("cat {run}/token", { by: { sandbox: "runtime folders" } }),
  },
  {
    name: "reads what others share in /dev/shm",
    wants: { reads: "shared memory" },
    tool: {
      act: read("{shm}"),
      by: { operations: "roots", flags: "all access", sandbox: "devices" },
    },
    code: {
      act: "return await Deno.readTextFile('{shm}')",
      by: { flags: "all access", sandbox: "devices" },
    },
    ...commands("cat {shm}", { by: { sandbox: "devices" } }),
  },
  {
    name: "reads the disk past its files",
    wants: { does: "opens a block device" },
    needs: "root",
    code: {
      act:
        "for (const { name } of Deno.readDirSync('/dev')) { const path = '/dev/' + name; try { if (!Deno.statSync(path).isBlockDevice) continue; const file = Deno.openSync(path); file.readSync(new Uint8Array(1)); file.close(); return 'ESC' + 'APED'; } catch { } }",
      by: { flags: "all access", sandbox: "devices" },
    },
    ...commands(
      "for one in /dev/*; do [ -b $one ] && head -c 1 $one >/dev/null 2>&1 && echo ESC''APED; done",
      { by: { sandbox: "devices" } },
    ),
  },
  {
    name: "reads a pipe of somebody else in /tmp",
    wants: { reads: "temporary" },
    setUp:
      "rm -f {tmp}-pipe; mkfifo {tmp}-pipe; timeout 2 sh -c 'cat {tmp} >{tmp}-pipe' </dev/null >/dev/null 2>&1 &",
    ...commands("timeout 0.2 cat {tmp}-pipe", {
      by: { sandbox: "temporary folders" },
    }),
  },
  {
    name: "reads shared memory by its number",
    wants: { reads: "shared memory" },
    setUp:
      `perl -e '$id = shmget({shmkey}, 64, 0666 | 01000) // exit; shmwrite($id, "{shmtext}", 0, 64)'`,
    ...commands(
      `perl -e '$id = shmget({shmkey}, 64, 0) // exit; shmread($id, $text, 0, 64); print $text =~ s/\\0//gr'`,
      { by: { sandbox: "shared memory" } },
    ),
  },
  {
    name: "reads a key that its owner has just replaced",
    wants: { reads: "temporary" },
    setUp: "cat {vartmp} >replacing && mv replacing ~/.netrc",
    tool: {
      act: read("~/.netrc"),
      by: { operations: "secrets", flags: "denied reads" },
    },
    code: {
      act: "return await Deno.readTextFile('{home}/.netrc')",
      by: { flags: "denied reads" },
    },
    ...commands("cat ~/.netrc", {
      open:
        "A secret file, or one that starts programs, which somebody outside replaces during the run is open to commands from then on",
    }),
  },
];
