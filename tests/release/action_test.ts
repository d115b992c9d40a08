import assert from "node:assert/strict";
import { TARGETS } from "../../build/targets.ts";
import {
  type ActionRun,
  type ActionRunOptions,
  readAction,
  runAction,
} from "../support/action_run.ts";
import { childEnvironment } from "../support/host_run.ts";
import { say, startProviderDouble } from "../support/provider_double.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";

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
    const given = JSON.parse(await Deno.readTextFile(arguments_)) as string[];
    const at = given.findIndex((arg) => arg.endsWith("/tau/src/main.ts"));
    assert.deepEqual(given.slice(0, at - 1), [
      ...["run", "-A", "--no-prompt", "--frozen", "--cached-only", "--config"],
    ]);
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

Deno.test("the action takes no program of the checkout for one of the system, and leaves nothing but the record", () =>
  inTempFolder(async (folder) => {
    const bin = `${folder}/work/node_modules/.bin`;
    const bait = `#!/bin/sh\ntouch '${folder}/mark-'"\${0##*/}"\nexit 1\n`;
    const names = [
      ...["bash", "cat", "cp", "deno", "env", "mkdir", "mktemp", "node", "npm"],
      ...["npx", "od", "rm", "sh", "tr"],
    ];
    await putFiles(
      folder,
      Object.fromEntries(
        names.map((name) => [`work/node_modules/.bin/${name}`, bait]),
      ),
    );
    for (const name of names) await Deno.chmod(`${bin}/${name}`, 0o755);
    await Deno.symlink(bin, `${folder}/link`);
    const { code, stderr } = await act({ prompt: "x" }, {
      folder,
      program: "Deno.exit(0);",
      path: `node_modules/.bin:${bin}::.:${folder}/link:`,
    });
    assert.equal(code, 0, stderr);
    assert.deepEqual(marksIn(folder), []);
    const [record, ...others] = [...Deno.readDirSync(`${folder}/temp`)];
    assert.match(record?.name ?? "", /^tau-result-/);
    assert.deepEqual(others, []);
  }));

Deno.test("the action fetches Deno and packages without its keys, and runs tau with them", () =>
  inTempFolder(async (folder) => {
    const keys = { OPENAI_API_KEY: "sk-1", MY_PROVIDER: "sk-2" };
    const env = {
      ...keys,
      DENO_CERT: "/cert.pem",
      DENO_V8_FLAGS: "--no-such-flag",
      DENO_DIR: `${folder}/work/cache`,
      HTTPS_PROXY: "http://127.0.0.1:9",
      NODE_OPTIONS: "--require ./no-module.js",
    };
    const { code, stderr } = await act({ prompt: "x" }, {
      folder,
      env,
      program: `await Deno.writeTextFile("${folder}/run.json",
        JSON.stringify(Deno.env.toObject()));`,
    });
    assert.equal(code, 0, stderr);
    for (const step of ["npm", "cache"]) {
      const seen = new Map(
        (await Deno.readTextFile(`${folder}/${step}.env`)).split("\n")
          .map((line) => line.split("=", 2) as [string, string]),
      );
      assert.equal(seen.get("HTTPS_PROXY"), env.HTTPS_PROXY);
      assert.equal(seen.get("DENO_CERT"), env.DENO_CERT);
      assert.match(seen.get("DENO_DIR") ?? "", /\/temp\/tau-\w+\/deno-dir$/);
      const others = [
        ...["OPENAI_API_KEY", "MY_PROVIDER", "INPUT_PROMPT", "TAU_HOME"],
        ...["DENO_V8_FLAGS", "NODE_OPTIONS", "GITHUB_OUTPUT"],
      ];
      assert.deepEqual(others.filter((name) => seen.has(name)), [], step);
    }
    const seen = JSON.parse(await Deno.readTextFile(`${folder}/run.json`));
    assert.deepEqual({ ...seen, ...keys }, seen);
    assert.equal(seen.DENO_V8_FLAGS, undefined);
    assert.equal(seen.NODE_OPTIONS, undefined);
  }));

Deno.test("the action says that it could not be prepared, and has its outputs", () =>
  inTempFolder(async (folder) => {
    const { code, stderr, outputs } = await act({ prompt: "x" }, {
      folder,
      npm: "echo 'npm error: no network' >&2; exit 7",
      program: `Deno.writeTextFileSync("${folder}/mark-run", "");`,
    });
    assert.equal(code, 7);
    assert.match(stderr, /^npm error: no network$/m);
    assert.equal(outputs["exit-code"], "7");
    assert.equal(outputs.result, "");
    assert.deepEqual(marksIn(folder), []);
  }));

Deno.test("the action has a lock of its own, of the Deno that all else takes, which names no registry", async () => {
  const read = (path: string) =>
    Deno.readTextFile(new URL(`../../${path}`, import.meta.url));
  const [, version] = /deno@([\d.]+)/.exec(await read(".ci/run")) ??
    assert.fail();
  const { dependencies } = JSON.parse(
    await read(".github/action/package.json"),
  );
  assert.deepEqual(dependencies, { deno: version });
  const { packages: { "": root, ...locked } } = JSON.parse(
    await read(".github/action/package-lock.json"),
  );
  assert.deepEqual(root.dependencies, dependencies);
  assert.deepEqual(
    Object.keys(locked).toSorted(),
    ["deno", ...TARGETS.map(({ npmPackage }) => npmPackage)]
      .map((name) => `node_modules/${name}`).toSorted(),
  );
  for (const one of Object.values(locked) as Record<string, unknown>[]) {
    assert.equal(one.version, version);
    assert.match(String(one.integrity), /^sha512-/);
    assert.equal(one.resolved, undefined);
  }
});

/** Runs the action with doubles of npm and of the Deno that it brings: the one that runs this test, or a program in the place of tau. */
async function act(
  inputs: Record<string, string>,
  { folder, program, npm, path = "", env }: ActionRunOptions & {
    program?: string;
    /** In the place of npm. Default: unpacks a Deno. */
    npm?: string;
  },
): Promise<ActionRun> {
  const { DENO_DIR } = childEnvironment();
  const cache = DENO_DIR ? `export DENO_DIR='${DENO_DIR}'` : "unset DENO_DIR";
  const run = program === undefined
    ? `${cache}\nexec '${Deno.execPath()}' "$@"`
    : `exec '${Deno.execPath()}' run -A --quiet --no-config '${folder}/program.ts' "$@"`;
  await putFiles(folder, {
    "program.ts": program ?? "",
    "deno": `#!/bin/sh
if [ "$1" = cache ]; then env >'${folder}/cache.env'; exit; fi
${run}
`,
    "bin/npm": `#!/bin/sh
[ "$1 $2" = "ci --ignore-scripts" ] || exit 64
[ -f package-lock.json ] || exit 65
env >'${folder}/npm.env'
${
      npm ?? `mkdir -p node_modules/@deno/double
cp '${folder}/deno' node_modules/@deno/double/deno`
    }
`,
  });
  for (const name of ["deno", "bin/npm"]) {
    await Deno.chmod(`${folder}/${name}`, 0o755);
  }
  return await runAction(inputs, {
    folder,
    path: `${path}${folder}/bin:`,
    ...(env ? { env } : {}),
  });
}

function marksIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name)
    .filter((name) => name.startsWith("mark-"));
}
