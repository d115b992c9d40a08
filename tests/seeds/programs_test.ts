// The programs of the documents that tau follows, as they stand there but for
// the lines that import: each is type-checked, and run.
import assert from "node:assert/strict";
import {
  call,
  type ProviderDouble,
  say,
  startProviderDouble,
} from "../support/provider_double.ts";
import { inPlace } from "../support/tau_place.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const PROGRAMS = new URL("programs/", import.meta.url);
const ROOT = new URL("../../", import.meta.url);

/** Lends a folder with the programs, and a `deno.json` with which they find tau. */
async function withPrograms(
  test: (folder: string) => Promise<void>,
): Promise<void> {
  await inTempFolder(async (folder) => {
    for (const path of await programs()) {
      const to = `${folder}/${path.replace(/\.txt$/, "")}`;
      await Deno.mkdir(to.slice(0, to.lastIndexOf("/")), { recursive: true });
      await Deno.copyFile(new URL(path, PROGRAMS), to);
    }
    const { imports } = JSON.parse(
      await Deno.readTextFile(new URL("deno.json", ROOT)),
    );
    imports.tau = new URL("src/mod.ts", ROOT).href;
    await Deno.writeTextFile(
      `${folder}/deno.json`,
      JSON.stringify({ imports, compilerOptions: { strict: true } }),
    );
    await Deno.copyFile(new URL("deno.lock", ROOT), `${folder}/deno.lock`);
    await test(folder);
  });
}

async function programs(folder = ""): Promise<string[]> {
  const paths: string[] = [];
  for await (
    const { name, isDirectory } of Deno.readDir(
      new URL(folder || ".", PROGRAMS),
    )
  ) {
    if (isDirectory) paths.push(...await programs(`${folder}${name}/`));
    else paths.push(folder + name);
  }
  return paths;
}

/** Runs Deno in a folder; returns what it printed, and fails where it failed. */
async function deno(
  cwd: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd,
    env: { NO_COLOR: "1", ...env },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  assert.equal(code, 0, text(stdout) + text(stderr));
  return text(stdout);
}

const RUN = ["run", "-A", "--no-check", "--quiet"];

Deno.test("5, 7, 14, 66, 117, 131, 153, 156, 274, 275, 276, 289, 303: the programs of the documents are type-checked", async () => {
  await withPrograms(async (folder) => {
    const paths = (await programs()).map((path) => path.replace(/\.txt$/, ""));
    assert(paths.length > 20);
    await deno(folder, ["check", "--quiet", ...paths]);
  });
});

/** Programs that need nobody, and what each prints. */
const PRINTED: Record<string, RegExp> = {
  "s000/hooks.ts":
    /^bash true .*Destructive command blocked.*\nread_secret false .*REDACTED BY POLICY.*\nran: \[ "read_secret \{\}" \]\n$/,
  "s000/powershell.ts": /compile-only\] Get-Date/,
  "s000/remote_bash.ts":
    /remote output of build\\n\\nCommand timed out after 1 seconds" isError true.*\n.*remote output of build\\n\\nCommand aborted" isError true/,
  "s000/run_read_text.ts":
    /^update .*"phase":"reading".*\nfalse .*"phase":"done"/,
  "s000/virtual_read.ts": /"text":"# Demo\\n"/,
  "s001/trace.ts": /^PASS trace/,
};

Deno.test("46, 60, 92, 97, 99, 120, 264, 302, 332, 334: the programs of the documents print what they should", async () => {
  await withPrograms(async (folder) => {
    for (const [path, printed] of Object.entries(PRINTED)) {
      assert.match(await deno(folder, [...RUN, path]), printed, path);
    }
    await deno(folder, [
      "test",
      "-A",
      "--no-check",
      "--quiet",
      "s002",
      "s003/test",
    ]);
  });
});

async function withModel(
  test: (env: Record<string, string>, double: ProviderDouble) => Promise<void>,
): Promise<void> {
  await using double = startProviderDouble({
    api: "anthropic-messages",
    script: [
      say("", call("get_weather", { city: "Tokyo" })),
      say("24 degrees."),
    ],
  });
  const env = { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: double.url };
  await test(env, double);
}

const ASKING = {
  "272": "s003/agent-core.ts",
  "276, 277, 278": "s003/agent-session.ts",
};

for (const [rows, path] of Object.entries(ASKING)) {
  Deno.test(`${rows}: ${path} of the documents asks a model with the key of the environment`, async () => {
    await withPrograms(async (folder) => {
      await withModel(async (env, double) => {
        const printed = await deno(folder, [...RUN, path], env);
        assert.match(printed, /24 degrees\./);
        assert.match(
          double.requests[1]?.text ?? "",
          /Tokyo: 24 degrees celsius/,
        );
      });
    });
  });
}

/** Extensions, the call that the model makes, and what it reads. */
const EXTENSIONS: [
  path: string,
  call: ReturnType<typeof call>,
  read: RegExp,
][] = [
  [
    "s000/inspect_text.ts",
    call("inspect_text", { path: "note.txt" }),
    /note\.txt contains 6 bytes/,
  ],
  [
    "s003/weather_ext.ts",
    call("get_weather", { city: "Paris" }),
    /Paris: 18 degrees celsius/,
  ],
  [
    "s003/gate_ext.ts",
    call("get_weather", { city: "Paris" }),
    /get_weather requires interactive approval/,
  ],
  ["s004/best_practice.ts", call("best", { how: "A" }), /具体的描述A：a\.ts/],
];

for (const [path, made, read] of EXTENSIONS) {
  Deno.test(`${path} of the documents is a plugin`, async () => {
    await withPrograms(async (folder) => {
      await inPlace({
        script: [say("", made), say("ok")],
        files: { "work/note.txt": "alpha\n" },
      }, async ({ ask, requests }) => {
        const run = await ask(["--plugin", `${folder}/${path}`, "go"]);
        assert.equal(run.code, 0, run.stderr);
        assert.match(requests[1]?.text ?? "", read);
      });
    });
  });
}
