import assert from "node:assert/strict";
import { load } from "js-yaml";
import { childEnvironment } from "./host_run.ts";

const ROOT = new URL("../../", import.meta.url).pathname.replace(/\/$/, "");

/** What tests look at of action.yml. */
export interface Action {
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

/** What a step of the action came to. */
export interface ActionRun {
  code: number;
  stderr: string;
  outputs: Record<string, string>;
}

/** How the action is run. */
export interface ActionRunOptions {
  /** Holds all of it; the checkout is in `work`. */
  folder: string;
  /** Where the action's files are. Default: this project. */
  action?: string;
  /** Added to the environment of the step. */
  env?: Record<string, string>;
  /** Comes before the folders of this process's PATH. */
  path?: string;
}

/** Reads action.yml. */
export async function readAction(action = ROOT): Promise<Action> {
  return load(await Deno.readTextFile(`${action}/action.yml`)) as Action;
}

/** Runs the action's step as a runner does. */
export async function runAction(
  inputs: Record<string, string>,
  { folder, action = ROOT, env = {}, path = "" }: ActionRunOptions,
): Promise<ActionRun> {
  const { inputs: known, runs: { steps: [step] } } = await readAction(action);
  assert.ok(step);
  const valueOf = (name: string) => inputs[name] ?? known[name]?.default ?? "";
  const stepEnv = Object.fromEntries(
    Object.entries(step.env).map(([key, text]) => [
      key,
      text.replace(/\$\{\{ inputs\.([a-z-]+) \}\}/, (_, name) => valueOf(name)),
    ]),
  );
  for (const name of ["home", "temp", "work"]) {
    await Deno.mkdir(`${folder}/${name}`, { recursive: true });
  }
  await Deno.writeTextFile(`${folder}/step.sh`, step.run);
  await Deno.writeTextFile(`${folder}/outputs`, "");
  const { code, stderr } = await new Deno.Command(programPath("bash"), {
    // What `shell: bash` stands for.
    args: ["--noprofile", "--norc", "-eo", "pipefail", `${folder}/step.sh`],
    cwd: `${folder}/work`,
    clearEnv: true,
    env: {
      ...childEnvironment(),
      PATH: `${path}${Deno.env.get("PATH")}`,
      TAU_HOME: `${folder}/home`,
      GITHUB_ACTION_PATH: action,
      GITHUB_OUTPUT: `${folder}/outputs`,
      GITHUB_WORKSPACE: `${folder}/work`,
      RUNNER_TEMP: `${folder}/temp`,
      ...env,
      ...stepEnv,
    },
  }).output();
  const lines = (await Deno.readTextFile(`${folder}/outputs`)).split("\n");
  return {
    code,
    stderr: new TextDecoder().decode(stderr),
    outputs: Object.fromEntries(
      lines.filter(Boolean).map((line) => {
        const equals = line.indexOf("=");
        return [line.slice(0, equals), line.slice(equals + 1)];
      }),
    ),
  };
}

/** The path of a program, by this process's PATH. */
export function programPath(name: string): string {
  const { success, stdout } = new Deno.Command("sh", {
    args: ["-c", 'command -v "$1"', "sh", name],
  }).outputSync();
  assert.ok(success, `${name} is not installed`);
  return new TextDecoder().decode(stdout).trim();
}
