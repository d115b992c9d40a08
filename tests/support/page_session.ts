import { presets } from "../../src/providers/presets.ts";
import { TRACE } from "./host_run.ts";
import { killAll, processesWith } from "./processes.ts";
import {
  type ProviderDouble,
  type RecordedRequest,
  type Reply,
  startProviderDouble,
} from "./provider_double.ts";
import { putFiles } from "./put_files.ts";
import type { ShellBlock } from "./shell_blocks.ts";
import { programOf } from "./tau_process.ts";
import { inTempFolder } from "./temp_folder.ts";

/** How the commands of a page ended. */
export interface PageRun {
  /** How many blocks ran to their end. */
  passed: number;
  /** The block that failed, what was printed while it ran, and why it failed. */
  failure?: { line: number; why: string; output: string };
}

/** Options of {@linkcode runPage}. */
export interface PageOptions {
  /** All processes of the page are killed after that time. Default: three minutes. */
  maxLifeMs?: number;
}

/**
 * The folder that the commands of a page begin in, as `~/project`. It is a git
 * repository with one commit of these files; `src/parser.ts` has been changed
 * since (`CHANGED_PARSER`).
 */
const PROJECT = {
  "README.md": "# Notes\n\nReads lists of notes and counts them.\n",
  "AGENTS.md": "Run `npm test` after each change.\n",
  "package.json": JSON.stringify(
    {
      name: "notes",
      version: "1.0.0",
      private: true,
      type: "module",
      scripts: { test: "node --test" },
    },
    undefined,
    2,
  ) + "\n",
  "src/parser.ts": `/** Splits a line such as "a, b" into its notes. */
export function parseLine(line: string): string[] {
  return line.split(",");
}
`,
  "src/count.js": `/** Counts the notes of a text, one a line. */
export function countNotes(text) {
  return text.split("\\n").filter((line) => line !== "").length;
}
`,
  "test/count.test.js": `import assert from "node:assert/strict";
import test from "node:test";
import { countNotes } from "../src/count.js";

test("countNotes() counts no empty lines", () => {
  assert.equal(countNotes("milk\\n\\nbread\\n"), 2);
});
`,
};

const CHANGED_PARSER = PROJECT["src/parser.ts"].replace(
  'line.split(",")',
  'line.split(",").map((note) => note.trim())',
);

const ROOT = new URL("../../", import.meta.url).pathname;

/**
 * Runs the blocks of a page as one bash session, up to the first that fails.
 *
 * The session begins in `~/project` of an empty home. On its PATH are `tau` and
 * `deno`, before what this process has. Each built-in provider is a strict
 * double that takes any key, and says what a block scripts, then `Done.`. A
 * clone of `https://github.com/OWNER/tau` is one of this checkout.
 */
export async function runPage(
  path: string,
  blocks: readonly ShellBlock[],
  options: PageOptions = {},
): Promise<PageRun> {
  let run: PageRun | undefined;
  await inTempFolder(async (folder) => {
    const model = new PageModel(blocks, `${folder}/state/block`);
    await using doubles = new AsyncDisposableStack();
    const env: Record<string, string> = {
      ...await environment(folder),
      ...model.start(doubles),
    };
    for (const name of ["home/project", "tmp"]) {
      await Deno.mkdir(`${folder}/${name}`, { recursive: true });
    }
    await putFiles(folder, sessionFiles(folder, path, blocks));
    await Deno.chmod(`${folder}/bin/tau`, 0o755);
    await Deno.symlink(Deno.execPath(), `${folder}/bin/deno`);
    await makeProject(`${folder}/home/project`, env);
    const ended = await runSession(folder, env, options);
    run = judge(blocks, { ...ended, model, folder });
  });
  return run as PageRun;
}

/** Begins the part of the output that belongs to a block. */
function mark(block: number): string {
  return `\n=== block ${block} of the page ===\n`;
}

/** What the model of a page says. */
class PageModel {
  readonly #blocks: readonly ShellBlock[];
  readonly #place: string;
  /** Requests of each block. */
  readonly asked: number[];
  readonly #doubles: ProviderDouble[] = [];

  constructor(blocks: readonly ShellBlock[], place: string) {
    this.#blocks = blocks;
    this.#place = place;
    this.asked = blocks.map(() => 0);
  }

  /** Starts a double for each wire format; the variables that lead to them. */
  start(stack: AsyncDisposableStack): Record<string, string> {
    const urls = new Map<string, string>();
    for (const { api } of presets) {
      if (urls.has(api)) continue;
      const double = stack.use(
        startProviderDouble({ api, script: () => this.#answer() }),
      );
      this.#doubles.push(double);
      urls.set(api, double.url);
    }
    return Object.fromEntries(
      presets.map(({ api, baseUrlEnv }) => [baseUrlEnv, urls.get(api) ?? ""]),
    );
  }

  /** What a provider would have refused. */
  faults(): string[] {
    return this.#doubles.flatMap(({ requests }) =>
      requests.flatMap(({ fault }: RecordedRequest) => fault ?? [])
    );
  }

  #answer(): Reply {
    const block = Number(Deno.readTextFileSync(this.#place));
    const place = this.asked[block] ?? 0;
    this.asked[block] = place + 1;
    return { say: this.#blocks[block]?.answers[place] ?? { text: "Done." } };
  }
}

/** The environment of a session, without what leads to models. */
async function environment(folder: string): Promise<Record<string, string>> {
  const home = Deno.env.get("HOME");
  const npmCache = Deno.env.get("npm_config_cache") ??
    (home && `${home}/.npm`);
  const program = Deno.env.get("TAU_TEST_PROGRAM");
  return {
    HOME: `${folder}/home`,
    PATH: `${folder}/bin:${Deno.env.get("PATH") ?? ""}`,
    TMPDIR: `${folder}/tmp`,
    LANG: "C.UTF-8",
    SHELL: "/bin/bash",
    TERM: "dumb",
    [TRACE]: crypto.randomUUID(),
    // Packages are those that this process has, so that none is fetched.
    DENO_DIR: await denoFolder(),
    ...(npmCache ? { npm_config_cache: npmCache } : {}),
    npm_config_prefer_offline: "true",
    npm_config_update_notifier: "false",
    GIT_CONFIG_GLOBAL: `${folder}/gitconfig`,
    GIT_CONFIG_NOSYSTEM: "1",
    // What a portable program unpacks into.
    ...(program ? { XDG_CACHE_HOME: `${program}.cache` } : {}),
  };
}

async function denoFolder(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json"],
    stderr: "null",
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}

/** The files of a session, by their paths below its folder. */
function sessionFiles(
  folder: string,
  path: string,
  blocks: readonly ShellBlock[],
): Record<string, string> {
  const quoted = programOf({}).map((word) => `'${word}'`).join(" ");
  const files: Record<string, string> = {
    "bin/tau": `#!/bin/sh\nexec ${quoted} "$@"\n`,
    gitconfig: `[user]
	name = Reader
	email = reader@example.com
[init]
	defaultBranch = main
[safe]
	directory = *
[url "file://${ROOT}"]
	insteadOf = https://github.com/OWNER/tau
`,
    "state/line": "",
  };
  const steps = blocks.map(({ code, line }, block) => {
    // Lines have their numbers on the page, so that messages name those.
    files[`state/${block}/${path}`] = "\n".repeat(line - 1) + code;
    return `printf %s ${block} >'${folder}/state/block'
printf '${mark(block).replaceAll("\n", "\\n")}'
. '${folder}/state/${block}/${path}'
`;
  });
  files["state/session.sh"] = `set -euo pipefail
exec 2>&1
trap 'echo "$LINENO" >'"'${folder}/state/line'" ERR
${steps.join("")}printf '${mark(blocks.length).replaceAll("\n", "\\n")}'
`;
  return files;
}

/** Makes a repository of {@linkcode PROJECT}, with a change. */
async function makeProject(
  folder: string,
  env: Record<string, string>,
): Promise<void> {
  await putFiles(folder, PROJECT);
  for (
    const args of [
      ["init", "--quiet"],
      ["add", "."],
      ["commit", "--quiet", "--message", "Count notes"],
    ]
  ) {
    const { success, stderr } = await new Deno.Command("git", {
      args,
      cwd: folder,
      env,
      clearEnv: true,
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
  }
  await putFiles(folder, { "src/parser.ts": CHANGED_PARSER });
}

/** How a session ended. */
interface Ended {
  code: number;
  output: string;
  isLate: boolean;
}

async function runSession(
  folder: string,
  env: Record<string, string>,
  { maxLifeMs = 180_000 }: PageOptions,
): Promise<Ended> {
  const child = new Deno.Command("bash", {
    args: ["--noprofile", "--norc", `${folder}/state/session.sh`],
    cwd: `${folder}/home/project`,
    env,
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const output = new Response(child.stdout).text();
  let isLate = false;
  let ending: Promise<void> | undefined;
  const end = async () => {
    // One that starts another while they are looked for is found the next time.
    for (let left = [child.pid]; left.length > 0;) {
      killAll(left);
      left = await processesWith(TRACE, env[TRACE] ?? "");
    }
  };
  const timer = setTimeout(() => {
    isLate = true;
    ending = end();
  }, maxLifeMs);
  const { code } = await child.status;
  clearTimeout(timer);
  await ending;
  await end();
  return { code, output: await output, isLate };
}

function judge(
  blocks: readonly ShellBlock[],
  { code, output, isLate, model, folder }: Ended & {
    model: PageModel;
    folder: string;
  },
): PageRun {
  const parts = output.split(/\n=== block \d+ of the page ===\n/).slice(1);
  const last = parts.length - 1;
  const fail = (block: number, why: string): PageRun => ({
    passed: block,
    failure: {
      line: blocks[block]?.line ?? 0,
      why: [why, ...model.faults()].join("; "),
      output: parts[block] ?? output,
    },
  });
  const unheard = blocks.findIndex(({ answers }, block) =>
    block < last && answers.length > (model.asked[block] ?? 0)
  );
  if (unheard >= 0) {
    return fail(unheard, `only ${model.asked[unheard]} answers were asked for`);
  }
  if (isLate) return fail(last, "it did not end in time");
  if (code !== 0) {
    const line = Deno.readTextFileSync(`${folder}/state/line`).trim();
    return fail(last, `line ${line || "?"} ended with exit code ${code}`);
  }
  return last === blocks.length
    ? { passed: last }
    : fail(last, "it ended the session");
}
