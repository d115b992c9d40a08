import assert from "node:assert/strict";
import { expandPrompt } from "../../src/context/prompt_commands.ts";
import { findSkills, type FoundSkills } from "../../src/context/find_skills.ts";
import { UsageError } from "../../src/settings/usage_error.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";

function skillFile(head: string, body = "Do it."): string {
  return `---\n${head}\n---\n\n${body}\n`;
}

/** Finds the skills of `a` and then of `b`; `ROOT` stands for the folder of both. */
async function find(files: Record<string, string>): Promise<FoundSkills> {
  let found: FoundSkills = { skills: [], warnings: [] };
  await inTempFolder(async (folder) => {
    await putFiles(folder, files);
    const result = await findSkills([`${folder}/a`, `${folder}/b`], {
      cwd: "/nowhere",
    });
    found = JSON.parse(JSON.stringify(result).replaceAll(folder, "ROOT"));
  });
  return found;
}

Deno.test("findSkills() finds folders with a SKILL.md, at any depth but not in one another", async () => {
  const { skills, warnings } = await find({
    "a/pdf/SKILL.md": skillFile(
      "name: pdf\ndescription: >\n  Read\n  PDFs: all",
    ),
    "a/pdf/inner/SKILL.md": skillFile("description: hidden in another"),
    "a/group/deep/SKILL.md": skillFile("description: 2024"),
    "a/.hidden/SKILL.md": skillFile("description: hidden"),
    "b/only-me/SKILL.md": skillFile(
      "description: d\ndisable-model-invocation: true",
    ),
  });
  assert.deepEqual(skills, [
    {
      name: "deep",
      description: "2024",
      location: "ROOT/a/group/deep/SKILL.md",
      folder: "ROOT/a/group/deep",
      isOffered: true,
    },
    {
      name: "pdf",
      description: "Read PDFs: all",
      location: "ROOT/a/pdf/SKILL.md",
      folder: "ROOT/a/pdf",
      isOffered: true,
    },
    {
      name: "only-me",
      description: "d",
      location: "ROOT/b/only-me/SKILL.md",
      folder: "ROOT/b/only-me",
      isOffered: false,
    },
  ]);
  assert.deepEqual(warnings, []);
});

Deno.test("findSkills() leaves out what is no skill, each with its reason", async () => {
  const { skills, warnings } = await find({
    "a/1-none/SKILL.md": "No head at all",
    "a/2-bad/SKILL.md": skillFile("description: [not closed"),
    "a/3-name/SKILL.md": skillFile('name: "A/../b"\ndescription: d'),
    "a/4-long/SKILL.md": skillFile(`description: ${"x".repeat(1025)}`),
    "a/5-loop/SKILL.md": skillFile("a: &a [*a, *a]\ndescription: d"),
    "a/a,b/SKILL.md": skillFile("name: comma\ndescription: d"),
    "a/same/SKILL.md": skillFile("description: first"),
    "b/same/SKILL.md": skillFile("description: second"),
    "b/__proto__/SKILL.md": skillFile("__proto__: {description: d}"),
  });
  assert.deepEqual(skills.map(({ description }) => description), ["first"]);
  const reasons = [
    /1-none" is left out: it has no description/,
    /2-bad" is left out: \S/,
    /3-name" is left out: its name "A\/..\/b" is not/,
    /4-long" is left out: .* longer than 1024/,
    /5-loop" is left out: \S/,
    /a,b" is left out: no path with a comma/,
    /__proto__" is left out: its name/,
    /b\/same" is left out: there is another skill "same"/,
  ];
  assert.equal(warnings.length, reasons.length, warnings.join("\n"));
  reasons.forEach((reason, i) => assert.match(warnings[i] ?? "", reason));
});

Deno.test("findSkills() follows links and comes back from a loop", async () => {
  await inTempFolder(async (folder) => {
    await putFiles(folder, {
      "mine/tidy/SKILL.md": skillFile("description: d"),
      "a/x": "",
    });
    await Deno.symlink(`${folder}/mine/tidy`, `${folder}/a/linked`);
    await Deno.symlink(`${folder}/a`, `${folder}/a/loop`);
    const { skills } = await findSkills([`${folder}/a`], { cwd: folder });
    assert.deepEqual(skills.map(({ location }) => location), [
      `${folder}/mine/tidy/SKILL.md`,
    ]);
  });
});

Deno.test("expandPrompt() puts skill or template in the place of their names", async () => {
  await inTempFolder(async (folder) => {
    await putFiles(folder, {
      "skills/tidy/SKILL.md": skillFile("description: d", "Tidy up."),
      "own/review.md": "---\ndescription: x\n---\nReview $1 for ${2:-bugs}.\n",
      "shared/review.md": "not this one",
      "shared/plain.md": "Plain.",
    });
    const { skills } = await findSkills([`${folder}/skills`], { cwd: folder });
    const templateFolders = [`${folder}/own`, `${folder}/shared`];
    const expand = (prompt: string) =>
      expandPrompt(prompt, { skills, templateFolders });
    assert.equal(expand("/review a.ts"), "Review a.ts for bugs.");
    assert.equal(
      expand('/review a.ts "dead code"'),
      "Review a.ts for dead code.",
    );
    assert.equal(expand("/plain"), "Plain.");
    const skill = `<skill name="tidy" location="${folder}/skills/tidy/SKILL.md">
References are relative to ${folder}/skills/tidy.

Tidy up.
</skill>`;
    assert.equal(expand("/skill:tidy"), skill);
    assert.equal(expand("/skill:tidy the $1 docs"), `${skill}\n\nthe $1 docs`);
    for (
      const prompt of [
        "/nothing x",
        "/usr/bin/x fails",
        "/",
        "/../x",
        " /plain",
      ]
    ) {
      assert.equal(expand(prompt), prompt);
    }
    assert.throws(
      () => expand("/skill:tyde"),
      (error) =>
        error instanceof UsageError &&
        /^Unknown skill "tyde"; available are tidy$/.test(error.message),
    );
    assert.throws(
      () => expand("/skill:tidyy"),
      /^UsageError: Unknown skill "tidyy"; did you mean: \/skill:tidy$/,
    );
    const expandFirst = (prompt: string) =>
      expandPrompt(prompt, { skills, templateFolders, refusesMistyped: true });
    for (
      const [typed, meant] of [
        ["revew", "review"],
        ["reviwe", "review"],
        ["tidy", "skill:tidy"],
      ]
    ) {
      assert.equal(expand(`/${typed} x`), `/${typed} x`);
      assert.throws(() => expandFirst(`/${typed} x`), {
        name: "UsageError",
        message:
          `Unknown prompt command "/${typed}"; did you mean: /${meant}. To send it as a prompt: tau -- /${typed}`,
      });
    }
    assert.equal(expandFirst("/nothing x"), "/nothing x");
    assert.equal(expandFirst("/plain"), "Plain.");
  });
});
