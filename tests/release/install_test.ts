import assert from "node:assert/strict";
import { needing } from "../support/needs.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const INSTALL = new URL("../../install.sh", import.meta.url).pathname;

const PROGRAM = "#!/bin/sh\necho 'tau of the test'\n";

/** The name of this machine's program; the test runs where it builds. */
const NAME = `tau-portable-${Deno.build.os === "darwin" ? "macos" : "linux"}-${
  Deno.build.arch === "aarch64" ? "arm64" : "x64"
}`;

/** It fetches with what the machine has. */
const fetchTest = needing("curl or wget");

fetchTest(
  "install.sh puts the latest program into a folder with spaces, as one that runs",
  async () => {
    await install(async ({ run, folder, asked }) => {
      const { code, stdout, stderr } = await run(["--dir", folder]);
      assert.equal(stderr, "");
      assert.equal(code, 0);
      assert.equal(
        stdout,
        `tau install: installed ${folder}/tau\n` +
          `tau install: ${folder} is not on PATH; add it to call tau by its name\n`,
      );
      assert.deepEqual(asked, [
        "/releases/latest/download/SHA256SUMS",
        `/releases/latest/download/${NAME}`,
      ]);
      assert.deepEqual(await started(`${folder}/tau`), "tau of the test\n");
      assert.deepEqual(names(folder), ["tau"]);
    });
  },
);

fetchTest(
  "install.sh takes the version that is asked for, and the folder of the home",
  async () => {
    await install(async ({ run, home, asked }) => {
      const { code, stderr } = await run(["--version", "v0.1.0"]);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
      assert.equal(asked[0], "/releases/download/v0.1.0/SHA256SUMS");
      assert.equal(
        await started(`${home}/.local/bin/tau`),
        "tau of the test\n",
      );
    });
  },
);

Deno.test("install.sh looks for the releases of the account that it was released by, or of the one that is named", async () => {
  const released = (await Deno.readTextFile(INSTALL))
    .replace("@OWNER@", "someone");
  assert.ok(!released.includes("@OWNER@"));
  for (const [named, owner] of [["", "someone"], ["another", "another"]]) {
    await install(async ({ run, root, folder }) => {
      await Deno.mkdir(`${root}/bin`);
      await Deno.writeTextFile(
        `${root}/bin/curl`,
        `#!/bin/sh\nfor url; do :; done; echo "$url" >>'${root}/urls'; exit 22`,
        { mode: 0o755 },
      );
      const { code } = await run(["--dir", folder], {
        path: `${root}/bin:${Deno.env.get("PATH")}`,
        env: { TAU_RELEASES_URL: "", TAU_OWNER: named as string },
        script: released,
      });
      assert.equal(code, 1);
      assert.equal(
        await Deno.readTextFile(`${root}/urls`),
        `https://github.com/${owner}/tau/releases/latest/download/SHA256SUMS\n`,
      );
    });
  }
});

needing("wget")("install.sh works with wget alone, and with bash", async () => {
  for (const shell of ["sh", "bash"]) {
    await install(async ({ run, folder, root }) => {
      const path = await pathWithout("curl", `${root}/bin`);
      const { code, stderr } = await run(["--dir", folder], { path, shell });
      assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
      assert.equal(await started(`${folder}/tau`), "tau of the test\n");
    });
  }
});

fetchTest(
  "install.sh refuses what it cannot verify, keeps the old program and leaves no file",
  async () => {
    const sum = await sha256(PROGRAM);
    const faults: [string, Served, RegExp][] = [
      [
        "other bytes",
        { program: PROGRAM.replace("test", "evil") },
        /^tau install: tau-portable-\S+ has the checksum [0-9a-f]{64}, expected [0-9a-f]{64}; nothing was installed\n$/,
      ],
      ["an empty program", { program: "" }, /; nothing was installed\n$/],
      [
        "a name that ends alike",
        { sums: `${sum}  evil-${NAME}\n` },
        /: this release has no tau-portable-/,
      ],
      ["no checksums", { sums: "" }, /: this release has no tau-portable-/],
      [
        "two checksums",
        { sums: `${sum}  ${NAME}\n${sum}  ${NAME}\n` },
        /: SHA256SUMS has no checksum of/,
      ],
      [
        "a page in place of the checksums",
        { sums: `<html>  ${NAME}\n` },
        /: SHA256SUMS has no checksum of/,
      ],
      [
        "no release",
        { sums: undefined },
        /: cannot fetch http:\/\/127\S+SHA256SUMS\n$/,
      ],
      [
        "no program",
        { program: undefined },
        /: cannot fetch http:\/\/127\S+\n$/,
      ],
      ["a cut program", { isCut: true }, /: cannot fetch http:\/\/127\S+\n$/],
    ];
    for (const [what, served, message] of faults) {
      await install(async ({ run, folder }) => {
        await Deno.mkdir(folder);
        await Deno.writeTextFile(`${folder}/tau`, "the old one");
        const { code, stderr } = await run(["--dir", folder]);
        assert.equal(code, 1, what);
        assert.match(stderr, message, what);
        assert.deepEqual(names(folder), ["tau"], what);
        assert.equal(
          await Deno.readTextFile(`${folder}/tau`),
          "the old one",
          what,
        );
      }, { sums: `${sum}  ${NAME}\n`, program: PROGRAM, ...served });
    }
  },
);

fetchTest(
  "install.sh verifies nothing away where there is no program that can",
  async () => {
    await install(async ({ run, folder, root }) => {
      const path = await pathWithout("sha256sum", `${root}/bin`);
      const { code, stderr } = await run(["--dir", folder], { path });
      assert.equal(code, 1);
      assert.match(stderr, /: sha256sum, shasum or openssl is needed/);
      assert.deepEqual(names(folder), []);
    });
  },
);

Deno.test("install.sh says what is wrong with its arguments and touches nothing", async () => {
  await install(async ({ run, asked, folder }) => {
    const wrong: [string[], Record<string, string>, RegExp][] = [
      [["--bogus"], {}, /unknown argument "--bogus"/],
      [["--dir"], {}, /--dir needs a value/],
      [["--dir", ""], {}, /--dir needs a value/],
      [["--version", "../../x"], {}, /"\.\.\/\.\.\/x" is no version/],
      [[], { HOME: "" }, /HOME is not set/],
      [[], { TAU_RELEASES_URL: "" }, /set TAU_OWNER to the GitHub account/],
      [
        [],
        { TAU_RELEASES_URL: "", TAU_OWNER: "a/../b" },
        /TAU_OWNER: "a\/\.\.\/b" is no GitHub account/,
      ],
      [[], { TAU_RELEASES_URL: "http://a.example" }, /begin with https:/],
    ];
    for (const [args, env, message] of wrong) {
      const { code, stderr } = await run(args, { env });
      assert.equal(code, 1, args.join(" "));
      assert.match(stderr, message);
    }
    assert.deepEqual(asked, []);

    await Deno.mkdir(`${folder}/tau`, { recursive: true });
    const { stderr } = await run(["--dir", folder]);
    assert.match(stderr, /\/tau is a folder\n$/);
    assert.deepEqual(names(`${folder}/tau`), []);
  });
});

fetchTest("install.sh leaves no file when it is interrupted", async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<Response>();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async ({ url }) => {
      if (url.endsWith("SHA256SUMS")) {
        return new Response(`${await sha256(PROGRAM)}  ${NAME}\n`);
      }
      asked.resolve();
      return await answer.promise;
    },
  );
  try {
    await inTempFolder(async (root) => {
      const child = new Deno.Command("sh", {
        args: [INSTALL, "--dir", root],
        clearEnv: true,
        env: {
          PATH: Deno.env.get("PATH") ?? "",
          TAU_RELEASES_URL: `http://127.0.0.1:${server.addr.port}`,
        },
        detached: true,
        stdout: "null",
        stderr: "null",
      }).spawn();
      await Promise.race([asked.promise, child.status]);
      // As a terminal does it: to all of its processes.
      Deno.kill(-child.pid, "SIGINT");
      assert.equal((await child.status).code, 130);
      assert.deepEqual(names(root), []);
    });
  } finally {
    answer.resolve(new Response());
    await server.shutdown();
  }
});

Deno.test("install.sh does nothing when only a part of it arrived", async () => {
  const script = await Deno.readTextFile(INSTALL);
  await install(async ({ run, asked, home }) => {
    const end = script.lastIndexOf("main");
    for (let size = 0; size < end; size += 97) {
      await run([], { script: script.slice(0, size) });
    }
    assert.deepEqual(asked, []);
    assert.deepEqual(names(home), []);
  });
});

interface Served {
  /** Absent: there is none. */
  sums?: string | undefined;
  program?: string | undefined;
  /** The connection ends before the program does. */
  isCut?: boolean;
}

interface Place {
  root: string;
  home: string;
  /** It does not exist yet. */
  folder: string;
  /** The paths that were asked for. */
  asked: string[];
  run(args: string[], options?: RunOptions): Promise<Ended>;
}

interface RunOptions {
  path?: string;
  shell?: string;
  env?: Record<string, string>;
  /** In place of install.sh. */
  script?: string;
}

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Lends install.sh beside a server of releases. */
async function install(
  test: (place: Place) => Promise<void>,
  served?: Served,
): Promise<void> {
  const { sums, program, isCut } = served ??
    { sums: `${await sha256(PROGRAM)}  ${NAME}\n`, program: PROGRAM };
  const asked: string[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    ({ url }) => {
      const { pathname } = new URL(url);
      asked.push(pathname);
      const body = pathname.endsWith("SHA256SUMS") ? sums : program;
      if (body === undefined) return new Response("none", { status: 404 });
      return isCut && body === program ? cut(body) : new Response(body);
    },
  );
  try {
    await inTempFolder(async (root) => {
      const home = `${root}/home`;
      await Deno.mkdir(home);
      await test({
        root,
        home,
        folder: `${root}/a folder`,
        asked,
        run: (args, options = {}) =>
          runScript(args, {
            ...options,
            cwd: root,
            env: {
              PATH: options.path ?? Deno.env.get("PATH") ?? "",
              HOME: home,
              TAU_RELEASES_URL: `http://127.0.0.1:${server.addr.port}/releases`,
              ...options.env,
            },
          }),
      });
    });
  } finally {
    await server.shutdown();
  }
}

async function runScript(
  args: string[],
  { shell = "sh", script, cwd, env }: RunOptions & {
    cwd: string;
    env: Record<string, string>;
  },
): Promise<Ended> {
  const child = new Deno.Command(shell, {
    args: script === undefined ? [INSTALL, ...args] : ["-s", "--", ...args],
    cwd,
    clearEnv: true,
    env,
    stdin: script === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  if (script !== undefined) {
    const writer = child.stdin.getWriter();
    // A script that ends itself reads no further.
    await writer.write(new TextEncoder().encode(script)).catch(() => {});
    await writer.close().catch(() => {});
  }
  const { code, stdout, stderr } = await child.output();
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

/** Half of what the headers promise. */
function cut(body: string): Response {
  const bytes = new TextEncoder().encode(body);
  const half = new ReadableStream({
    start(controller) {
      controller.enqueue(bytes.subarray(0, bytes.length / 2));
      controller.close();
    },
  });
  return new Response(half, {
    headers: { "content-length": String(bytes.length) },
  });
}

/** A PATH with the programs that install.sh uses, but one kind of them. */
async function pathWithout(
  missing: "curl" | "sha256sum",
  folder: string,
): Promise<string> {
  await Deno.mkdir(folder);
  const programs =
    "sh bash uname ldd grep mkdir mktemp rm awk cat chmod mv curl wget sha256sum"
      .split(" ");
  for (const name of programs.filter((name) => name !== missing)) {
    const path = (Deno.env.get("PATH") ?? "").split(":")
      .map((place) => `${place}/${name}`).find(exists);
    if (path !== undefined) await Deno.symlink(path, `${folder}/${name}`);
  }
  return folder;
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

function names(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name);
}

async function started(program: string): Promise<string> {
  const { stdout } = await new Deno.Command(program).output();
  return new TextDecoder().decode(stdout);
}

async function sha256(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
