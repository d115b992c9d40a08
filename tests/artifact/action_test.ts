import assert from "node:assert/strict";
import { programPath, runAction } from "../support/action_run.ts";
import { say, startProviderDouble } from "../support/provider_double.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";
import { run } from "./portable_run.ts";

// The action as it is, with what it fetches from npm.

const ROOT = new URL("../../", import.meta.url).pathname;

/** Variables that npm and Deno may need to reach packages from this machine. */
const NETWORK = Object.fromEntries(
  [
    ...["HOME", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "NODE_EXTRA_CA_CERTS"],
    ...["SSL_CERT_FILE", "DENO_CERT", "DENO_TLS_CA_STORE"],
    ...["NPM_CONFIG_REGISTRY"],
  ].flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }),
);

/** Something in a checkout that has code run, or that changes what is run, where a program falls for it. */
interface Bait {
  /** Leaves a mark of this name. */
  name: string;
  /** A command of bash that falls for it, in the checkout. */
  naive: string;
  files(place: BaitPlace): Record<string, string>;
}

interface BaitPlace {
  checkout: string;
  /** The folder of marks. */
  marks: string;
  /** The address of a registry that answers nothing and leaves a mark. */
  registry: string;
}

const BAITS: Bait[] = [
  {
    name: "deno-package",
    naive: "npx -y deno@$VERSION --version",
    files: ({ marks }) => ({
      "node_modules/deno/package.json": JSON.stringify({
        name: "deno",
        version: Deno.version.deno,
        bin: { deno: "bin.cjs" },
      }),
      "node_modules/deno/bin.cjs":
        `#!/usr/bin/env node\nrequire("fs").writeFileSync("${marks}/deno-package", "");`,
      "node_modules/.bin/deno": shellScript(
        'exec node "$(dirname "$0")/../deno/bin.cjs" "$@"',
      ),
    }),
  },
  ...["npm", "node", "env"].map((name): Bait => ({
    name,
    naive: `PATH=node_modules/.bin:$PATH; ${name} --version`,
    files: ({ marks }) => ({
      [`node_modules/.bin/${name}`]: shellScript(
        `touch '${marks}/${name}'; exec '${programPath(name)}' "$@"`,
      ),
    }),
  })),
  {
    name: "registry",
    naive: "npm view left-pad version --fetch-retries=0",
    files: ({ registry, checkout }) => ({
      ".npmrc": [
        `registry=${registry}`,
        `script-shell=${checkout}/script-shell`,
        `node-options=--require ${checkout}/node-options.cjs`,
        "ignore-scripts=false",
      ].join("\n"),
    }),
  },
  {
    name: "script-shell",
    naive: "npm run nothing",
    files: ({ marks }) => ({
      "script-shell": shellScript(
        `touch '${marks}/script-shell'; exec sh "$@"`,
      ),
    }),
  },
  {
    name: "node-options",
    naive: "npm run nothing",
    files: ({ marks }) => ({
      "node-options.cjs":
        `require("fs").writeFileSync("${marks}/node-options", "");`,
    }),
  },
  {
    name: "preinstall",
    naive: "npm install --offline",
    files: ({ marks }) => ({
      "package.json": JSON.stringify({
        name: "bait",
        version: "1.0.0",
        type: "module",
        scripts: {
          nothing: "node -e 0",
          preinstall: `touch '${marks}/preinstall'`,
          install: `touch '${marks}/preinstall'`,
          prepare: `touch '${marks}/preinstall'`,
        },
      }),
    }),
  },
  {
    name: "package-lock",
    naive: `npm ci || touch "$MARKS/package-lock"`,
    files: () => ({ "package-lock.json": "{" }),
  },
  {
    name: "import-map",
    naive: `deno eval --no-lock 'import "@stricli/core"'`,
    files: ({ marks }) => ({
      "deno.json": JSON.stringify({
        imports: { "@stricli/core": "./evil.ts", "ajv": "./evil.ts" },
        nodeModulesDir: "manual",
      }),
      "evil.ts": `Deno.writeTextFileSync("${marks}/import-map", "");`,
    }),
  },
  {
    name: "deno-lock",
    naive: `deno eval 'import "@stricli/core"' || touch "$MARKS/deno-lock"`,
    files: () => ({ "deno.lock": "{" }),
  },
  {
    name: "env-file",
    naive: `node --env-file .env -e '
      process.env.ANTHROPIC_API_KEY && process.exit(1)' ||
      touch "$MARKS/env-file"`,
    // With this key, the run below would ask another provider.
    files: () => ({ ".env": "ANTHROPIC_API_KEY=sk-of-the-checkout\n" }),
  },
  {
    name: "git-config",
    naive: "git status",
    files: ({ checkout, marks }) => ({
      ".git/config":
        `[core]\nrepositoryformatversion = 0\nfsmonitor = ${checkout}/fsmonitor\n`,
      ".git/HEAD": "ref: refs/heads/main\n",
      ".git/objects/info/packs": "",
      ".git/refs/heads/.keep": "",
      "fsmonitor": shellScript(`touch '${marks}/git-config'`),
    }),
  },
];

for (const { name, naive } of BAITS) {
  Deno.test(`the bait ${name} is one: what falls for it leaves a mark`, () =>
    inCheckout(async ({ checkout, marks, marksLeft }) => {
      await run([programPath("bash"), "-c", naive], {
        cwd: checkout,
        env: {
          PATH: Deno.env.get("PATH") ?? "",
          ...NETWORK,
          VERSION: Deno.version.deno,
          MARKS: marks,
          NO_COLOR: "1",
        },
      });
      assert.ok(marksLeft().includes(name), marksLeft().join());
    }));
}

Deno.test("the action runs nothing of the checkout, and answers a prompt", () =>
  inCheckout(async ({ folder, checkout, marksLeft }) => {
    const npm = programPath("npm");
    await putFiles(folder, {
      "bin/npm": `#!/bin/sh\nenv >'${folder}/npm.env'\nexec '${npm}' "$@"\n`,
    });
    await Deno.chmod(`${folder}/bin/npm`, 0o755);
    await using double = startProviderDouble({
      api: "openai-completions",
      script: [say("Four.")],
    });
    const { code, stderr, outputs } = await runAction(
      { prompt: "2+2", timeout: "60s", args: "--no-session" },
      {
        folder,
        path: `node_modules/.bin:${checkout}/node_modules/.bin:${folder}/bin:`,
        env: {
          ...NETWORK,
          OPENAI_API_KEY: "sk-secret",
          OPENAI_BASE_URL: double.url,
        },
      },
    );
    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(outputs.result ?? "").text, "Four.");
    assert.deepEqual(double.requests.map(({ fault }) => fault), [undefined]);
    assert.deepEqual(marksLeft(), []);
    const seen = await Deno.readTextFile(`${folder}/npm.env`);
    assert.match(seen, /^PATH=/m);
    assert.doesNotMatch(seen, /sk-secret|INPUT_/);
  }));

Deno.test("the action runs nothing but its own files of a checkout that is the action", () =>
  inCheckout(async ({ folder, checkout, marksLeft }) => {
    await copyAction(checkout);
    const { code, stderr, outputs } = await runAction(
      { prompt: "x", args: "--version" },
      {
        folder,
        action: checkout,
        path: `${checkout}/node_modules/.bin:`,
        env: NETWORK,
      },
    );
    assert.equal(code, 0, stderr);
    assert.match(
      await Deno.readTextFile(outputs["result-file"] ?? ""),
      /^tau [\d.]+ \(source, /,
    );
    assert.deepEqual(marksLeft(), []);
  }));

for (
  const [lock, message] of [
    [".github/action/package-lock.json", /EINTEGRITY/],
    ["deno.lock", /[Cc]hecksum did not match/],
  ] as const
) {
  Deno.test(`the action ends where npm has something else than ${lock} says`, () =>
    inTempFolder(async (folder) => {
      const action = `${folder}/action`;
      await Deno.mkdir(action);
      await copyAction(action);
      const text = await Deno.readTextFile(`${action}/${lock}`);
      const other = text.replaceAll(/sha512-\w{8}/g, "sha512-00000000");
      assert.notEqual(other, text);
      await Deno.writeTextFile(`${action}/${lock}`, other);
      const { code, stderr, outputs } = await runAction(
        { prompt: "x", args: "--version" },
        { folder, action, env: NETWORK },
      );
      assert.notEqual(code, 0);
      assert.match(stderr, message);
      const said = await Deno.readTextFile(outputs["result-file"] ?? "");
      assert.equal(said, "");
    }));
}

/** Puts what the action is made of into a folder. */
async function copyAction(folder: string): Promise<void> {
  const parts = ["action.yml", "deno.json", "deno.lock", "src", ".github"];
  const { code, stderr } = await run(
    ["cp", "-R", ...parts.map((part) => ROOT + part), folder],
    { env: { PATH: Deno.env.get("PATH") ?? "" } },
  );
  assert.equal(code, 0, stderr);
}

/** Lends a checkout with all baits in it. */
async function inCheckout(
  test: (
    place: BaitPlace & { folder: string; marksLeft(): string[] },
  ) => Promise<void>,
): Promise<void> {
  await inTempFolder(async (folder) => {
    const marks = `${folder}/marks`;
    const checkout = `${folder}/work`;
    await Deno.mkdir(marks);
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      () => {
        Deno.writeTextFileSync(`${marks}/registry`, "");
        return new Response("none", { status: 404 });
      },
    );
    const place = {
      checkout,
      marks,
      registry: `http://127.0.0.1:${server.addr.port}/`,
    };
    for (const { files } of BAITS) {
      const found = files(place);
      await putFiles(checkout, found);
      for (const [path, text] of Object.entries(found)) {
        if (text.startsWith("#!")) {
          await Deno.chmod(`${checkout}/${path}`, 0o755);
        }
      }
    }
    await test({
      ...place,
      folder,
      marksLeft: () => [...Deno.readDirSync(marks)].map(({ name }) => name),
    });
  });
}

function shellScript(command: string): string {
  return `#!/bin/sh\n${command}\n`;
}
