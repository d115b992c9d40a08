import assert from "node:assert/strict";
import { load } from "js-yaml";
import { childEnvironment } from "../support/host_run.ts";
import { say, startProviderDouble } from "../support/provider_double.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

/** What the tests look at of action.yml. */
interface Action {
  inputs: Record<string, { required?: boolean; default?: string }>;
  outputs: Record<string, { value: string }>;
  runs: {
    using: string;
    steps: {
      id: string;
      shell: string;
      env: Record<string, string>;
      run: string;
    }[];
  };
}

Deno.test("action.yml puts no input into the text of a script", async () => {
  const { inputs, outputs, runs } = await readAction();
  assert.equal(runs.using, "composite");
  const used = new Set<string>();
  for (const { run, env } of runs.steps) {
    assert.ok(!run.includes("${{"), run);
    for (const value of Object.values(env)) {
      const name = /^\$\{\{ inputs\.([a-z-]+) \}\}$/.exec(value)?.[1];
      used.add(name ?? assert.fail(value));
    }
  }
  assert.deepEqual([...used].toSorted(), Object.keys(inputs).toSorted());
  for (const [name, { value }] of Object.entries(outputs)) {
    assert.equal(value, `\${{ steps.tau.outputs.${name} }}`);
  }
});

Deno.test("the action hands inputs on as arguments, whatever stands in them", async () => {
  const hostile =
    "\"; touch ran; $(touch ran) `touch ran` ${{ github.token }} '\n--model x\n::set-env name=A::b";
  const inputs = {
    prompt: hostile,
    model: "openai/gpt-5.1",
    profile: "$(touch ran)",
    "max-turns": "3",
    "max-budget-usd": "0.50",
    timeout: "90s",
    args: "--check\r\nnpm test && echo '$(touch ran)'\n\n-t\nread,bash\n",
  };
  await inTempFolder(async (folder) => {
    const arguments_ = `${folder}/arguments.json`;
    const run = await act(inputs, {
      folder,
      program: `
        await Deno.writeTextFile(${JSON.stringify(arguments_)},
          JSON.stringify(Deno.args));
        console.error("::error::from the model");
        console.log(JSON.stringify({ type: "result", text: "a\\nsession=x",
          session: { stored: true, file: "/s.jsonl" } }));
        Deno.exit(41);`,
    });
    const [deno, ...given] = JSON.parse(await Deno.readTextFile(arguments_));
    assert.match(deno, /^deno@\d+\.\d+\.\d+$/);
    const at = given.indexOf(`${ROOT}src/main.ts`);
    assert.deepEqual(given.slice(at + 1), [
      "--print",
      "--output-format=json",
      "--model=openai/gpt-5.1",
      "--profile=$(touch ran)",
      "--max-turns=3",
      "--max-budget-usd=0.50",
      "--timeout=90s",
      "--check",
      "npm test && echo '$(touch ran)'",
      "-t",
      "read,bash",
      "--",
      hostile,
    ]);
    assert.equal(run.code, 41);
    assert.equal(run.outputs["exit-code"], "41");
    assert.equal(run.outputs.session, "/s.jsonl");
    const { text } = JSON.parse(run.outputs.result ?? "");
    assert.equal(text, "a\nsession=x");
    // What the runner would take for commands comes while it takes none.
    const [, stop, command, go] =
      /^::stop-commands::(\w+)\n(::error::.*)\n::(\w+)::\n$/
        .exec(run.stderr) ?? assert.fail(run.stderr);
    assert.match(stop ?? "", /^[0-9a-f]{32}$/);
    assert.equal(stop, go);
    assert.equal(command, "::error::from the model");
    assert.deepEqual([...Deno.readDirSync(`${folder}/work`)], []);
  });
});

Deno.test("the action has its outputs also when tau said nothing, or too much", async () => {
  const programs: [string, Record<string, string>][] = [
    ["Deno.exit(7);", { "exit-code": "7", result: "", session: "" }],
    [
      `console.log(JSON.stringify({ text: "x".repeat(500_000),
        session: { stored: false, file: "/s.jsonl" } }));`,
      { "exit-code": "0", result: "", session: "" },
    ],
  ];
  for (const [program, expected] of programs) {
    await inTempFolder(async (folder) => {
      const { outputs } = await act({ prompt: "x" }, { folder, program });
      const { "result-file": file, ...others } = outputs;
      assert.deepEqual(others, expected);
      await Deno.stat(file ?? "");
    });
  }
});

Deno.test("the action runs tau, which answers in its outputs", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [say("Four.")],
  });
  await inTempFolder(async (folder) => {
    const { code, outputs, stderr } = await act({
      prompt: "demo @file - of 2+2",
      model: "openai/gpt-5.1",
      "max-turns": "2",
      timeout: "20s",
      args: "--tools\nread",
    }, {
      folder,
      env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: double.url },
    });
    assert.equal(code, 0, stderr);
    assert.deepEqual(double.requests.flatMap(({ fault }) => fault ?? []), []);
    const record = JSON.parse(outputs.result ?? "");
    assert.equal(record.text, "Four.");
    assert.equal(outputs["exit-code"], "0");
    assert.equal(outputs.session, record.session.file);
    assert.match(
      await Deno.readTextFile(outputs.session ?? ""),
      /demo @file - of 2\+2/,
    );
  });
});

interface Acted {
  code: number;
  stderr: string;
  outputs: Record<string, string>;
}

/** Runs the action's step as a runner does, with Deno in the place of `npx deno`, or a program in the place of all of it. */
async function act(
  inputs: Record<string, string>,
  { folder, program, env = {} }: {
    folder: string;
    program?: string;
    env?: Record<string, string>;
  },
): Promise<Acted> {
  const action = await readAction();
  const [step] = action.runs.steps;
  assert.ok(step);
  const valueOf = (name: string) =>
    inputs[name] ?? action.inputs[name]?.default ?? "";
  const stepEnv = Object.fromEntries(
    Object.entries(step.env).map(([key, text]) => [
      key,
      text.replace(/\$\{\{ inputs\.([a-z-]+) \}\}/, (_, name) => valueOf(name)),
    ]),
  );
  for (const name of ["bin", "home", "temp", "work"]) {
    await Deno.mkdir(`${folder}/${name}`);
  }
  await Deno.writeTextFile(`${folder}/program.ts`, program ?? "");
  const instead = program === undefined
    ? "shift 2"
    : `shift\nset -- run -A --quiet --no-config '${folder}/program.ts' "$@"`;
  await Deno.writeTextFile(
    `${folder}/bin/npx`,
    `#!/bin/sh\n${instead}\nexec '${Deno.execPath()}' "$@"\n`,
    { mode: 0o755 },
  );
  await Deno.writeTextFile(`${folder}/step.sh`, step.run);
  const { code, stderr } = await new Deno.Command("bash", {
    // What `shell: bash` stands for.
    args: ["--noprofile", "--norc", "-eo", "pipefail", `${folder}/step.sh`],
    cwd: `${folder}/work`,
    clearEnv: true,
    env: {
      ...childEnvironment(),
      PATH: `${folder}/bin:${Deno.env.get("PATH")}`,
      TAU_HOME: `${folder}/home`,
      GITHUB_ACTION_PATH: ROOT.replace(/\/$/, ""),
      GITHUB_OUTPUT: `${folder}/outputs`,
      RUNNER_TEMP: `${folder}/temp`,
      ...env,
      ...stepEnv,
    },
  }).output();
  return {
    code,
    stderr: new TextDecoder().decode(stderr),
    outputs: Object.fromEntries(
      (await Deno.readTextFile(`${folder}/outputs`)).trimEnd().split("\n")
        .map((line) => {
          const equals = line.indexOf("=");
          return [line.slice(0, equals), line.slice(equals + 1)];
        }),
    ),
  };
}

async function readAction(): Promise<Action> {
  return load(await Deno.readTextFile(`${ROOT}action.yml`)) as Action;
}
