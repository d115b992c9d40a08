import assert from "node:assert/strict";
import { firstSteps } from "../support/first_steps.ts";
import { call, say, startProviderDouble } from "../support/provider_double.ts";
import { inTempFolder } from "../support/temp_folder.ts";
import { type PortableRun, run } from "./portable_run.ts";
import { startReleaseServer } from "./release_server.ts";

// The words of README are all that somebody has who has nothing yet.
const README = await Deno.readTextFile(
  new URL("../../README.md", import.meta.url),
);

Deno.test("the README leads from an empty home to an answer of a local server in three commands", async () => {
  const { code, commands } = firstSteps(README, "answer");
  assert(commands.length > 0 && commands.length <= 3, commands.join("\n"));
  const { requests, ended } = await inEmptyHome(code, [say("Hello.")]);
  assert.equal(ended.code, 0, ended.stderr);
  assert.match(ended.stdout, /^Hello\.$/m);
  assert.match(requests[0]?.text ?? "", /say hello/);
});

Deno.test("the README leads from nothing to an own plugin that a model uses in five commands", async () => {
  const { code, commands } = firstSteps(README, "plugin");
  assert(commands.length > 0 && commands.length <= 5, commands.join("\n"));
  const { requests, ended } = await inEmptyHome(code, [
    say("", call("hello", { who: "Ada" })),
    say("Greeted."),
  ]);
  assert.equal(ended.code, 0, ended.stderr);
  assert.match(ended.stdout, /^Greeted\.$/m);
  assert.match(requests[1]?.text ?? "", /Hello, Ada!/);
});

type Double = ReturnType<typeof startProviderDouble>;

/** Runs commands in an empty home, on a machine with Node and a base system, where a local server answers. */
async function inEmptyHome(
  code: string,
  script: Parameters<typeof startProviderDouble>[0]["script"],
): Promise<{ requests: Double["requests"]; ended: PortableRun }> {
  await using model = startProviderDouble({
    api: "openai-completions",
    script,
  });
  let ended: PortableRun | undefined;
  await inTempFolder(async (folder) => {
    const home = `${folder}/home`;
    for (const name of ["home", "tmp", "release"]) {
      await Deno.mkdir(`${folder}/${name}`);
    }
    await using server = await startReleaseServer(`${folder}/release`, home);
    const shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"];
    ended = await run([...shell, code], {
      cwd: home,
      env: {
        HOME: home,
        // A login adds the folder in the home where it exists; elsewhere install.sh says to.
        PATH: `${home}/.local/bin:${await basePrograms(`${folder}/bin`)}`,
        TMPDIR: `${folder}/tmp`,
        // Where ollama listens by itself, there may be a real one, or none.
        OLLAMA_BASE_URL: model.url,
      },
    });
    assert.deepEqual(
      server.asked.map((path) => path.replace(/-\w+-\w+$/, "")),
      ["install.sh", "SHA256SUMS", "tau-portable"]
        .map((name) => `/OWNER/tau/releases/latest/download/${name}`),
      ended.stderr,
    );
  });
  assert.deepEqual(
    model.requests.flatMap(({ fault }) => fault ?? []),
    [],
  );
  return { requests: model.requests, ended: ended as PortableRun };
}

/** Makes a folder with the programs of Node and of the system, without any that tau could use in place of its own. */
async function basePrograms(folder: string): Promise<string> {
  await Deno.mkdir(folder);
  const places = [
    "/usr/bin",
    "/bin",
    ...(Deno.env.get("PATH") ?? "").split(":")
      .filter((place) => exists(`${place}/node`)),
  ];
  for (const place of places.filter(exists)) {
    for (const { name } of Deno.readDirSync(place)) {
      if (["deno", "tau", "bwrap"].includes(name)) continue;
      if (exists(`${folder}/${name}`)) continue;
      await Deno.symlink(`${place}/${name}`, `${folder}/${name}`)
        .catch((error) => {
          // A link that leads nowhere has the name already.
          if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
        });
    }
  }
  return folder;
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}
