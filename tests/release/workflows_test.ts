import assert from "node:assert/strict";
import { load } from "js-yaml";
import { TARGETS } from "../../build/targets.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const WORKFLOWS = `${ROOT}.github/workflows/`;

/** The parts of a workflow that the tests read. */
interface Workflow {
  env?: Record<string, string>;
  permissions: Record<string, string>;
  jobs: Record<string, {
    permissions?: Record<string, string>;
    env?: Record<string, unknown>;
    strategy?: { matrix: { include: { target: string }[] } };
    steps: { name?: string; uses?: string; run?: string }[];
  }>;
}

Deno.test("workflows name each action by its commit and put no expression into a script", async () => {
  let actions = 0;
  for await (const { name } of Deno.readDir(WORKFLOWS)) {
    for (const { steps } of Object.values((await workflow(name)).jobs)) {
      for (const { uses, run = "" } of steps) {
        assert.ok(!run.includes("${{"), `${name}: ${run}`);
        if (uses === undefined || uses === "./") continue;
        assert.match(uses, /^[\w-]+\/[\w-]+@[0-9a-f]{40}$/, name);
        actions++;
      }
    }
  }
  assert.ok(actions > 0);
});

Deno.test("ok.yml runs the tests on a bare machine, and where none of them may be skipped", async () => {
  const { jobs } = await workflow("ok.yml");
  const tested = Object.entries(jobs).flatMap(([name, { env, steps }]) =>
    steps.some(({ run = "" }) => /deno@\S+ task (?:ok|test)$/m.test(run))
      ? [[name, env?.TAU_TEST_BARE]]
      : []
  );
  assert.deepEqual(tested, [["bare", 1], ["whole", undefined]]);
  const ci = await Deno.readTextFile(`${ROOT}.ci/run`);
  const [, programs = ""] = /^for name in (.+); do$/m.exec(ci) ?? [];
  const packages = programs.replace("bwrap", "bubblewrap");
  const runs = jobs.whole?.steps.map(({ run = "" }) => run).join("\n") ?? "";
  assert.match(runs, new RegExp(`apt-get install -y ${packages}$`, "m"));
});

Deno.test("release.yml builds for every target, and lets nothing that it builds write", async () => {
  const { permissions, jobs } = await workflow("release.yml");
  const { build, publish, ...others } = jobs;
  assert.deepEqual(others, {});
  assert.deepEqual(permissions, {});
  assert.deepEqual(
    build?.strategy?.matrix.include.map(({ target }) => target),
    TARGETS.map(({ name }) => name),
  );
  assert.deepEqual(build?.permissions, { contents: "read" });
  assert.deepEqual(publish?.permissions, {
    contents: "write",
    "id-token": "write",
    attestations: "write",
  });
  for (const { run = "" } of publish?.steps ?? []) {
    assert.doesNotMatch(run, /^\s*(?:(?:npx|node|deno|sh|bash)\b|\.\/)/m);
  }
});

Deno.test("release.yml publishes when all files are there, with their checksums and an install.sh that knows where they are", async () => {
  const steps = (await workflow("release.yml")).jobs.publish?.steps ?? [];
  const scripts = steps.filter(({ name, run }) =>
    run !== undefined && name !== "Make the release"
  );
  assert.equal(scripts.length, 2);
  await inTempFolder(async (folder) => {
    await Deno.mkdir(`${folder}/files`);
    await Deno.copyFile(`${ROOT}install.sh`, `${folder}/install.sh`);
    const files = TARGETS.flatMap(({ name, hasShell }) =>
      hasShell ? [`tau-${name}`, `tau-portable-${name}`] : [`tau-${name}.exe`]
    );
    for (const name of files) {
      await Deno.writeTextFile(`${folder}/files/${name}`, name);
    }
    for (const { run = "" } of scripts) {
      assert.deepEqual(await bash(run, folder), { code: 0, stderr: "" });
    }
    const sums = await Deno.readTextFile(`${folder}/files/SHA256SUMS`);
    const listed = sums.trimEnd().split("\n").map((line) => line.slice(66));
    assert.deepEqual(
      listed.toSorted(),
      [...files, "install.sh"].toSorted(),
    );
    const install = await Deno.readTextFile(`${folder}/files/install.sh`);
    assert.ok(install.includes("\n  owner=${TAU_OWNER:-someone}\n"));
    assert.ok(!install.includes("@OWNER@"));

    await Deno.remove(`${folder}/files/tau-portable-macos-x64`);
    const { code, stderr } = await bash(scripts[1]?.run ?? "", folder);
    assert.notEqual(code, 0);
    assert.match(stderr, /tau-portable-macos-x64/);
  });
});

Deno.test("release.yml, install.sh and the action know who publishes by OWNER alone", async () => {
  const { env } = await workflow("release.yml");
  assert.deepEqual(env, { OWNER: "${{ github.repository_owner }}" });
  const text = await Deno.readTextFile(`${WORKFLOWS}release.yml`);
  assert.doesNotMatch(
    text.replace(env?.OWNER ?? "", ""),
    /GITHUB_REPOSITORY|github\.repository|github\.com/,
  );
  assert.match(text, /gh release create [^]*--repo "\$OWNER\/tau"/);
  const files = ["install.sh", "action.yml"];
  for await (const { name } of Deno.readDir(`${ROOT}.github/action`)) {
    files.push(`.github/action/${name}`);
  }
  for (const file of files) {
    const names = (await Deno.readTextFile(ROOT + file))
      .match(/github\.com\/[^/\s]+|@OWNER@/g) ?? [];
    assert.deepEqual(
      names,
      file === "install.sh" ? ["@OWNER@", "github.com/$owner"] : [],
      file,
    );
  }
});

Deno.test("all that starts Deno from npm takes the same version", async () => {
  const files = [
    "README.md",
    ".ci/bare",
    ".ci/run",
    ".github/workflows/ok.yml",
    ".github/workflows/release.yml",
  ];
  const versions = new Map<string, string[]>();
  for (const file of files) {
    const text = await Deno.readTextFile(ROOT + file);
    for (const [, version = ""] of text.matchAll(/deno@(\d[\w.-]*)/g)) {
      versions.set(version, [...versions.get(version) ?? [], file]);
    }
  }
  assert.equal(versions.size, 1, JSON.stringify([...versions]));
});

async function workflow(name: string): Promise<Workflow> {
  return load(await Deno.readTextFile(WORKFLOWS + name)) as Workflow;
}

/** Runs a step as a runner does. */
async function bash(
  script: string,
  cwd: string,
): Promise<{ code: number; stderr: string }> {
  const { code, stderr } = await new Deno.Command("bash", {
    args: ["--noprofile", "--norc", "-eo", "pipefail", "-c", script],
    cwd,
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      OWNER: "someone",
      GITHUB_REF_NAME: "v0.1.0",
    },
  }).output();
  return { code, stderr: new TextDecoder().decode(stderr) };
}
