import assert from "node:assert/strict";
import {
  type FoundInstructions,
  readInstructionFiles,
} from "../../src/context/instruction_files.ts";
import { needing } from "../support/needs.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";

interface Project {
  files: Record<string, string>;
  /** Paths of links and what they say. */
  links?: Record<string, string>;
  /** Below the project. Default `work`. */
  cwd?: string;
  isTrusted?: boolean;
}

/** Reads the instructions of a project; `ROOT` stands for its folder in what is found. */
async function read(project: Project): Promise<FoundInstructions> {
  let found: FoundInstructions = { files: [], warnings: [] };
  await inTempFolder(async (folder) => {
    await Deno.mkdir(`${folder}/work`);
    await putFiles(folder, project.files);
    for (const [path, target] of Object.entries(project.links ?? {})) {
      await Deno.symlink(target.replace("ROOT", folder), `${folder}/${path}`);
    }
    const json = JSON.stringify(readInstructionFiles({
      cwd: `${folder}/${project.cwd ?? "work"}`,
      home: `${folder}/home`,
      isTrusted: () => project.isTrusted ?? false,
    }));
    found = JSON.parse(json.replaceAll(folder, "ROOT"));
  });
  return found;
}

Deno.test("readInstructionFiles() goes from the user's own down to the working folder", async () => {
  const { files, warnings } = await read({
    cwd: "work/a/b",
    files: {
      "home/AGENTS.md": "mine\n",
      "AGENTS.md": "above",
      "work/CLAUDE.md": "project",
      "work/a/AGENTS.md": "\ufeffa\r\n",
      "work/a/CLAUDE.md": "not this one",
      "work/a/b/AGENTS.override.md": "b",
      "work/a/b/AGENTS.md": "nor this one",
      "work/a/b/c/AGENTS.md": "below",
    },
  });
  assert.deepEqual(files, [
    { path: "ROOT/home/AGENTS.md", text: "mine" },
    { path: "ROOT/AGENTS.md", text: "above" },
    { path: "ROOT/work/CLAUDE.md", text: "project" },
    { path: "ROOT/work/a/AGENTS.md", text: "a" },
    { path: "ROOT/work/a/b/AGENTS.override.md", text: "b" },
  ]);
  assert.deepEqual(warnings, []);
});

Deno.test("readInstructionFiles() takes out what nobody sees who looks at the file", async () => {
  const { files } = await read({
    files: {
      "work/AGENTS.md":
        "a\u001b[31mb\u0000c\td\n\u202ee\u2066f\u{e0041}\u{e0042}g é 👩‍💻",
    },
  });
  assert.equal(files[0]?.text, "a[31mbc\td\nefg é 👩‍💻");
});

Deno.test("readInstructionFiles() cuts a huge file, between characters, and says so", async () => {
  const { files } = await read({
    files: { "work/AGENTS.md": "x" + "é".repeat(1_000_000) },
  });
  const text = files[0]?.text ?? "";
  assert(text.length < 40_000);
  assert.match(
    text,
    /^xé+\n\[Cut here: the file has 2000001 bytes, of which these are the first 65536\]$/,
  );
});

Deno.test("readInstructionFiles() lets what is furthest up give way when it is too much together", async () => {
  const text = "x".repeat(60 * 1024);
  const folders = ["work", "work/a", "work/a/b", "work/a/b/c", "work/a/b/c/d"];
  const { files, warnings } = await read({
    cwd: folders.at(-1) as string,
    files: Object.fromEntries(
      folders.map((folder) => [`${folder}/AGENTS.md`, text]),
    ),
  });
  assert.deepEqual(
    files.map(({ path }) => path),
    folders.slice(1).map((folder) => `ROOT/${folder}/AGENTS.md`),
  );
  assert.match(
    warnings.join(),
    /"ROOT\/work\/AGENTS.md" is left out: .*256 KiB/,
  );
});

Deno.test("readInstructionFiles() follows links inside the repository, each file once", async () => {
  const { files, warnings } = await read({
    cwd: "work/a",
    files: {
      "work/.git/HEAD": "",
      "work/docs/rules.md": "rules",
      "work/a/x": "",
    },
    links: {
      "work/AGENTS.md": "docs/rules.md",
      "work/a/AGENTS.md": "../AGENTS.md",
    },
  });
  assert.deepEqual(files, [{ path: "ROOT/work/AGENTS.md", text: "rules" }]);
  assert.deepEqual(warnings, []);
});

const OUTSIDE: Project = {
  files: { "work/.git/HEAD": "", "secret": "key" },
  links: { "work/AGENTS.md": "../secret" },
};

Deno.test("readInstructionFiles() follows no link out of the repository", async () => {
  const { files, warnings } = await read(OUTSIDE);
  assert.deepEqual(files, []);
  assert.deepEqual(warnings, [
    '"ROOT/work/AGENTS.md" is left out: it is a link to "ROOT/secret", outside its project; --trust follows it',
  ]);
  const above = { ...OUTSIDE, files: { "secret": "key" } };
  assert.equal((await read(above)).files.length, 0);
});

Deno.test("readInstructionFiles() follows links of a trusted project and of the user", async () => {
  const { files, warnings } = await read({
    ...OUTSIDE,
    files: { ...OUTSIDE.files, "mine.md": "mine", "home/x": "" },
    links: { ...OUTSIDE.links, "home/AGENTS.md": "ROOT/mine.md" },
    isTrusted: true,
  });
  assert.deepEqual(files.map(({ text }) => text), ["mine", "key"]);
  assert.deepEqual(warnings, []);
});

Deno.test("readInstructionFiles() goes on without what is no file", async () => {
  const { files, warnings } = await read({
    cwd: "work/a/b",
    files: { "work/AGENTS.md/x": "", "work/a/b/CLAUDE.md": "b" },
    links: { "work/a/AGENTS.md": "nowhere" },
  });
  assert.deepEqual(files.map(({ text }) => text), ["b"]);
  assert.equal(warnings.length, 2, warnings.join("\n"));
  assert.match(
    warnings[0] ?? "",
    /"ROOT\/work\/AGENTS.md" is left out: it is a folder/,
  );
  assert.match(warnings[1] ?? "", /"ROOT\/work\/a\/AGENTS.md" is left out: /);
});

Deno.test("readInstructionFiles() waits for no writer of a FIFO", async () => {
  await inTempFolder(async (cwd) => {
    const made = await new Deno.Command("mkfifo", {
      args: [`${cwd}/AGENTS.md`],
    })
      .output();
    assert(made.success);
    const found = readInstructionFiles({
      cwd,
      home: undefined,
      isTrusted: () => false,
    });
    assert.match(found.warnings.join(), /is left out: no file/);
  });
});

// Only root can give a file away.
needing("root")(
  "readInstructionFiles() takes nothing of another user from a folder that anyone can write to",
  async () => {
    await inTempFolder(async (folder) => {
      await putFiles(folder, {
        "AGENTS.md": "above",
        "work/AGENTS.md": "work",
      });
      await Deno.chown(`${folder}/AGENTS.md`, 12345, 12345);
      const options = {
        cwd: `${folder}/work`,
        home: undefined,
        isTrusted: () => false,
      };
      const texts = () =>
        readInstructionFiles(options).files.map(({ text }) => text);
      assert.deepEqual(texts(), ["above", "work"]);
      await Deno.chmod(folder, 0o1777);
      assert.deepEqual(texts(), ["work"]);
    });
  },
);
