import assert from "node:assert/strict";
import { bashCompletions } from "../../../src/cli/completions/bash_completions.ts";
import { completedCommands } from "../../../src/cli/completions/completed_commands.ts";
import { fishCompletions } from "../../../src/cli/completions/fish_completions.ts";
import { zshCompletions } from "../../../src/cli/completions/zsh_completions.ts";
import { runHere } from "../fake_streams.ts";
import { type Need, needing } from "../../support/needs.ts";
import { inTempFolder } from "../../support/temp_folder.ts";
import { withTypingShell } from "./typing_shell.ts";

/** What a test with each shell needs. */
const NEEDED = {
  bash: ["script"],
  zsh: ["zsh", "script"],
  fish: ["fish"],
} satisfies Record<string, Need[]>;

/** What is typed, and what Tab makes of it. */
const COMPLETED: [string, string][] = [
  ["tau com", "tau completions "],
  ["tau completions z", "tau completions zsh "],
  ["tau schema ev", "tau schema event "],
  ["tau --max-rep", "tau --max-repeats "],
  ["tau -p 'a b' --max-rep", "tau -p 'a b' --max-repeats "],
  ["tau --output-format s", "tau --output-format stream-json "],
  ["tau --output-format=s", "tau --output-format=stream-json "],
  ["tau demo --k", "tau demo --keep "],
  ["tau -o my", "tau -o my\\ file.txt "],
  ['tau -o "my', 'tau -o "my file.txt" '],
  ["tau --cd=a", "tau --cd=a\\ folder/"],
  // A name on the disk that would run when it came without quotes.
  ["tau -o x", "tau -o x\\$\\(touch\\ ran\\)y "],
  // Words that would run if they were evaluated.
  ["tau $(touch ran) --max-rep", "tau $(touch ran) --max-repeats "],
  ["tau demo $(touch ran) --k", "tau demo $(touch ran) --keep "],
];

/** What Tab leaves as it is. */
const LEFT_ALONE = [
  "tau -- --max-rep",
  "tau -p demo --k",
  "tau demo sh",
  "tau --max-turns ",
  "tau --timeout m",
  "tau --cd $(touch ran)/",
  "tau -o `touch ran`/",
  "tau @$(touch ran)/",
  "tau --model $(touch ran)",
  "tau --cd ${x:=$(touch ran)}/",
];

shellTest(
  "bash",
  "completes what was typed and evaluates none of it",
  async (place) => {
    const script = bashCompletions(completedCommands());
    await withTypingShell("bash", { script, ...place }, async (bash) => {
      for (const [line, completed] of COMPLETED) {
        assert.equal(await bash.complete(line), completed);
      }
      assert.equal(await bash.complete("tau @my"), "tau \\@my\\ file.txt ");
      for (const line of LEFT_ALONE) {
        assert.equal(await bash.complete(line), line);
      }
    });
  },
);

shellTest(
  "zsh",
  "completes what was typed and evaluates none of it",
  async (place) => {
    const script = zshCompletions(completedCommands());
    await withTypingShell("zsh", { script, ...place }, async (zsh) => {
      for (const [line, completed] of COMPLETED) {
        assert.equal(await zsh.complete(line), completed);
      }
      assert.equal(await zsh.complete("tau @my"), "tau @my\\ file.txt ");
      for (const line of LEFT_ALONE) {
        assert.equal(await zsh.complete(line), line);
      }
    });
  },
);

shellTest(
  "fish",
  "offers what goes on with what was typed and evaluates none of it",
  async (place) => {
    const script = fishCompletions(completedCommands());
    const offers: [string, string[]][] = [
      ["tau com", ["completions"]],
      ["tau completions ", ["bash", "fish", "zsh"]],
      ["tau schema event ", []],
      ["tau -p 'a b' --max-rep", ["--max-repeats"]],
      ["tau --output-format s", ["stream-json"]],
      ["tau --output-format=s", ["--output-format=stream-json"]],
      ["tau demo --k", ["--keep"]],
      ["tau -o m", ["my file.txt"]],
      ["tau --cd ", ["a folder/"]],
      ["tau $(touch ran) --max-rep", ["--max-repeats"]],
      ["tau demo (touch ran) --k", ["--keep"]],
      ...[...LEFT_ALONE, "tau --cd (touch ran)/", "tau -o (touch ran)"]
        .map((line): [string, string[]] => [line, []]),
    ];
    await Deno.writeTextFile(`${place.home}/completions`, script);
    const { stdout, stderr } = await new Deno.Command("fish", {
      args: [
        "--no-config",
        "-c",
        `source ${place.home}/completions
for line in $argv; complete -C $line; echo "<end>"; end`,
        "--",
        ...offers.map(([line]) => line),
      ],
      cwd: place.folder,
      clearEnv: true,
      env: { PATH: Deno.env.get("PATH") ?? "", HOME: place.home },
    }).output();
    assert.equal(new TextDecoder().decode(stderr), "");
    const answers = new TextDecoder().decode(stdout).split("<end>\n");
    for (const [i, [line, offered]] of offers.entries()) {
      const lines = (answers[i] ?? "").split("\n").filter((text) =>
        text !== ""
      );
      const words = lines.map((text) => text.split("\t")[0] ?? "");
      assert.deepEqual(words.toSorted(), offered, line);
    }
  },
);

Deno.test("tau completions prints the script of the shell that is named", async () => {
  const scripts = {
    bash: bashCompletions,
    zsh: zshCompletions,
    fish: fishCompletions,
  };
  for (const [shell, scriptOf] of Object.entries(scripts)) {
    assert.deepEqual(await runHere(["completions", shell]), {
      code: 0,
      stdout: scriptOf(completedCommands()),
      stderr: "",
    });
  }
});

Deno.test("the scripts of completions hold no text that would end its quotes", () => {
  const [run] = completedCommands();
  assert.ok(run);
  const brief = "it's \\ `touch ran` $(touch ran): 'x'";
  const [option] = run.options;
  assert.ok(option);
  const tree = [{ ...run, brief, options: [{ ...option, brief }] }];
  assert.ok(!bashCompletions(tree).includes("touch"));
  assert.ok(
    zshCompletions(tree).includes(
      `:it'\\''s \\ \`touch ran\` $(touch ran): '\\''x'\\'''`,
    ),
  );
  assert.ok(
    fishCompletions(tree).includes(
      `'it\\'s \\\\ \`touch ran\` $(touch ran): \\'x\\''`,
    ),
  );
});

interface Place {
  home: string;
  folder: string;
}

/** A test with a real shell. It fails when a file `ran` was made. */
function shellTest(
  shell: keyof typeof NEEDED,
  behaviour: string,
  test: (place: Place) => Promise<void>,
): void {
  needing(...NEEDED[shell])(
    `tau completions ${shell} ${behaviour}`,
    () =>
      inTempFolder(async (root) => {
        const place = { home: `${root}/home`, folder: `${root}/work` };
        await Deno.mkdir(place.home);
        await Deno.mkdir(`${place.folder}/a folder`, { recursive: true });
        await Deno.writeTextFile(`${place.folder}/my file.txt`, "");
        await Deno.writeTextFile(`${place.folder}/x$(touch ran)y`, "");
        await test(place);
        const names = [...Deno.readDirSync(place.folder)].map(({ name }) =>
          name
        );
        assert.deepEqual(names.toSorted(), [
          "a folder",
          "my file.txt",
          "x$(touch ran)y",
        ]);
      }),
  );
}
