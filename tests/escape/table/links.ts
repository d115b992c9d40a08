import {
  type Attack,
  bash,
  code,
  commands,
  held,
  read,
  search,
  write,
} from "../attack.ts";

const READABLE =
  "Code of plugins reads what commands read, where a link in the workspace leads there";

const LINKED =
  "A file of the workspace that has a second name elsewhere is a file of the workspace";

/** The moment between the check of a path and its opening, made as long as one likes: the plugin stands in it. */
function swapped(call: "open" | "realPath"): string {
  return `const real = Deno.${call};
    Deno.${call} = async (...given) => {
      if (!String(given[0]).includes("/swapped/")) return real(...given);
      Deno.${call} = real;
      await Deno.rename("{ws}/swapped", "{ws}/gone");
      await Deno.rename("{ws}/trap", "{ws}/swapped");
      return real(...given);
    };`;
}

const SWAP =
  "rm -rf swapped gone trap; mkdir swapped; echo before >swapped/s.txt; echo before >swapped/victim.txt; ln -s {away} trap";

/** Ways out by another name of something. */
export const LINKS: Attack[] = [
  {
    name: "reads through a link to a file",
    wants: { reads: "outside" },
    setUp: "ln -sfn {away}/s.txt link",
    tool: held(read("link"), "operations roots, real path"),
    code: {
      act: "return await Deno.readTextFile('{ws}/link')",
      open: READABLE,
    },
  },
  {
    name: "reads through a link to a folder",
    wants: { reads: "outside" },
    setUp: "ln -sfn {away} exit",
    tool: held(read("exit/s.txt"), "operations roots, real path"),
  },
  {
    name: "reads through a chain of links",
    wants: { reads: "outside" },
    setUp: "ln -sfn {away} exit; ln -sfn exit one; ln -sfn one/s.txt two",
    tool: held(read("two"), "operations roots, real path"),
  },
  {
    name: "reads through a relative link",
    wants: { reads: "outside" },
    setUp: "ln -sfn ../../away exit-relative",
    tool: held(read("exit-relative/s.txt"), "operations roots, real path"),
  },
  {
    name: "greps through a link to a folder",
    wants: { reads: "outside" },
    setUp: "ln -sfn {away} exit",
    tool: held(search("grep", "exit"), "operations roots, real path"),
  },
  {
    name: "finds names through a link to a folder",
    wants: { reads: "outside name" },
    setUp: "ln -sfn {away} exit",
    tool: held(search("find", "exit/names"), "operations roots, real path"),
  },
  {
    name: "lists names through a link to a folder",
    wants: { reads: "outside name" },
    setUp: "ln -sfn {away} exit",
    tool: held(search("ls", "exit/names"), "operations roots, real path"),
  },
  {
    name: "reads a key through a link",
    wants: { reads: "home secret" },
    setUp: "ln -sfn {home}/.ssh keys",
    tool: held(
      read("keys/id_ed25519"),
      "operations secrets, real path · sandbox secrets hidden",
    ),
    code: held(
      "return await Deno.readTextFile('{ws}/keys/id_ed25519')",
      "sandbox secrets hidden",
    ),
    ...commands("cat keys/id_ed25519", "sandbox secrets hidden"),
  },
  {
    name: "reads through a link that bash has planted",
    wants: { reads: "outside" },
    setUp: "rm -f planted",
    tool: held(
      [bash("ln -s {away}/s.txt planted"), read("planted")],
      "operations roots, real path",
    ),
  },
  {
    name: "writes through a link to a file",
    wants: { changes: "{away}/victim.txt" },
    setUp: "ln -sfn {away}/victim.txt link-write",
    tool: held(
      write("link-write"),
      "operations roots · sandbox read-only system",
    ),
    code: held(
      "await Deno.writeTextFile('{ws}/link-write', 'changed')",
      "sandbox read-only system",
    ),
    ...commands("echo changed >link-write", "sandbox read-only system"),
  },
  {
    name: "makes a file through a link to a folder",
    wants: { changes: "{away}/new.txt" },
    setUp: "ln -sfn {away} exit",
    tool: held(
      write("exit/new.txt"),
      "operations roots, real path · sandbox read-only system",
    ),
    code: held(
      "await Deno.writeTextFile('{ws}/exit/new.txt', 'changed')",
      "sandbox read-only system",
    ),
    ...commands("echo changed >exit/new.txt", "sandbox read-only system"),
  },
  {
    name: "makes folders through a link to a folder",
    wants: { changes: "{away}/deep" },
    setUp: "ln -sfn {away} exit",
    tool: held(
      write("exit/deep/er/y.txt"),
      "operations roots, real path · sandbox read-only system",
    ),
  },
  {
    name: "makes a file through a link that leads nowhere",
    wants: { changes: "{away}/leaf.txt" },
    setUp: "ln -sfn {away}/leaf.txt leaf.txt",
    tool: held(
      write("leaf.txt"),
      "operations roots · sandbox read-only system",
    ),
    ...commands("echo changed >leaf.txt", "sandbox read-only system"),
  },
  {
    name: "reads a file whose folder becomes a link before it is opened",
    wants: { reads: "outside" },
    setUp: SWAP,
    tool: held(
      [code(swapped("open")), read("swapped/s.txt")],
      "operations re-check",
    ),
  },
  {
    name: "writes a file whose folder becomes a link before it is opened",
    wants: { changes: "{away}/victim.txt" },
    setUp: SWAP,
    tool: held(
      [code(swapped("open")), write("swapped/victim.txt")],
      "operations re-check · sandbox read-only system",
    ),
  },
  {
    name: "makes a hard link to a file outside and writes to it",
    wants: { changes: "{home}/notes.txt" },
    setUp: "rm -f hard",
    code: held(
      "await Deno.link('{home}/notes.txt', '{ws}/hard'); await Deno.writeTextFile('{ws}/hard', 'changed')",
      "flags write roots · sandbox mounts apart",
    ),
    ...commands(
      "ln {home}/notes.txt hard && echo changed >hard",
      "sandbox mounts apart",
    ),
  },
  {
    name: "makes a hard link to a key and reads it",
    wants: { reads: "home secret" },
    setUp: "rm -f hard-key",
    ...commands(
      "ln {home}/.ssh/id_ed25519 hard-key && cat hard-key",
      "sandbox twice",
    ),
  },
  {
    name: "writes to a hard link that was there before",
    wants: { changes: "{away}/victim.txt" },
    setUp: "ln -f {away}/victim.txt hard-before",
    tool: {
      act: write("hard-before"),
      open: LINKED,
    },
    ...commands("echo changed >hard-before", {
      open: LINKED,
    }),
  },
  {
    name: "makes a link out of the workspace and reads through it",
    wants: { reads: "home secret" },
    setUp: "rm -f made",
    code: held(
      "await Deno.symlink('{home}/.ssh', '{ws}/made'); return await Deno.readTextFile('{ws}/made/id_ed25519')",
      "flags all access · sandbox secrets hidden",
    ),
  },
];
