import assert from "node:assert/strict";
import { inTempFolder } from "../support/temp_folder.ts";

/** A copy of the tree that a test may change. */
export interface TreeCopy {
  /** Its folder, with a slash at the end. */
  root: string;
  /** Its program. */
  main: string;
  /** Puts a text in front of another that occurs once in a file. */
  before(path: string, anchor: string, text: string): Promise<void>;
  /** Puts a text behind another that occurs once in a file. */
  after(path: string, anchor: string, text: string): Promise<void>;
  /** Writes a new file. */
  write(path: string, text: string): Promise<void>;
}

const ROOT = new URL("../../", import.meta.url).pathname;
const GUIDE = `${ROOT}src/ARCHITECTURE.md`;

/** The tests of a copy that see a table, a list or a page that was forgotten. */
const TESTS = [
  "tests/architecture_test.ts",
  "tests/page_facts_test.ts",
  "tests/protocol/checks_test.ts",
  "tests/protocol/schemas_test.ts",
  "tests/providers/presets_test.ts",
  "tests/build/plugin_api_page_test.ts",
];

/**
 * Adds something to a copy of the tree, and lends the copy. The copy passes the
 * format, the linter, the compiler and the tests of tables and pages.
 *
 * Fails when the change touches a file that the paragraph of `subject` in
 * "How to add" does not name; what it calls a folder stands for new files there.
 */
export async function addTo(
  subject: string,
  add: (tree: TreeCopy) => Promise<void>,
  use: (tree: TreeCopy) => Promise<void>,
): Promise<void> {
  await inTempFolder(async (folder) => {
    const root = `${folder}/tree/`;
    await run("git", ["clone", "--quiet", "--shared", ROOT, root], folder);
    await copyChanges(root);
    const tree = treeIn(root);
    await add(tree);
    await deno(root, "fmt", "--quiet");
    for (const task of ["checks", "docs"]) await deno(root, "task", task);
    await deno(root, "fmt", "--quiet");
    assertNamed(await touched(root), await namedIn(subject));
    await deno(root, "lint", "--quiet");
    await deno(root, "check");
    await deno(root, "test", "-A", "--no-prompt", "--quiet", ...TESTS);
    await use(tree);
  });
}

/** Brings what is not committed yet into the clone, as its last commit. */
async function copyChanges(root: string): Promise<void> {
  const listed = ["ls-files", "-z", "--cached", "--others"];
  const names = await run("git", [...listed, "--exclude-standard"], ROOT);
  for (const name of names.split("\0").filter(Boolean)) {
    const content = await Deno.readFile(ROOT + name).catch(() => undefined);
    if (!content) continue;
    const folder = name.slice(0, name.lastIndexOf("/") + 1);
    await Deno.mkdir(root + folder, { recursive: true });
    await Deno.writeFile(root + name, content);
  }
  await run("git", ["add", "--all"], root);
  await run("git", [
    ...["-c", "user.name=tests", "-c", "user.email=tests@example.com"],
    ...["commit", "--quiet", "--allow-empty", "--message", "Begin"],
  ], root);
}

function treeIn(root: string): TreeCopy {
  const insert = async (
    path: string,
    anchor: string,
    put: (anchor: string) => string,
  ) => {
    const text = await Deno.readTextFile(root + path);
    assert.equal(text.split(anchor).length, 2, `${path}: ${anchor}`);
    await Deno.writeTextFile(root + path, text.replace(anchor, put));
  };
  return {
    root,
    main: `${root}src/main.ts`,
    before: (path, anchor, text) => insert(path, anchor, (it) => text + it),
    after: (path, anchor, text) => insert(path, anchor, (it) => it + text),
    write: (path, text) => Deno.writeTextFile(root + path, text),
  };
}

async function touched(root: string): Promise<string[]> {
  const lines = await run("git", ["status", "--porcelain", "-uall"], root);
  return lines.split("\n").filter(Boolean).map((line) => line.slice(3));
}

/** Paths in the paragraph of "How to add" that begins with the subject. */
async function namedIn(subject: string): Promise<string[]> {
  const guide = await Deno.readTextFile(GUIDE);
  const [, howToAdd = ""] = guide.split("\n## How to add\n");
  const paragraph = howToAdd.split(/\n(?=- |## )/)
    .find((text) => text.startsWith(`- **${subject}**`));
  assert(paragraph !== undefined, `"How to add" has no "${subject}"`);
  return Array.from(
    paragraph.matchAll(/`((?:src|tests|docs|build)\/[^`\s]*)`/g),
    ([, path = ""]) => path,
  );
}

function assertNamed(touched: string[], named: string[]): void {
  const isNamed = (path: string) =>
    named.some((name) =>
      name.endsWith("/") ? path.startsWith(name) : path === name
    );
  assert.deepEqual(touched.filter((path) => !isNamed(path)), []);
}

async function deno(root: string, ...args: string[]): Promise<void> {
  await run(Deno.execPath(), args, root);
}

/** Runs a program to its end and returns what it printed; throws with that when it fails. */
async function run(
  program: string,
  args: string[],
  cwd: string,
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args,
    cwd,
    env: { NO_COLOR: "1" },
  }).output();
  const [out, err] = [stdout, stderr].map((it) => new TextDecoder().decode(it));
  assert(success, `${program} ${args.join(" ")}\n${out}${err}`);
  return out ?? "";
}
