import assert from "node:assert/strict";
import { bubblewrapPath, type Need, needing } from "../support/needs.ts";
import {
  inPortablePlace,
  namesIn,
  type Place,
  PORTABLE,
  run,
  UNPACKED,
} from "./portable_run.ts";

/** The place of the first byte of the payload. */
const HEADER_BYTES = 8192;

Deno.test("tau-portable takes eight first runs at once", () =>
  inPortablePlace(async ({ cache, env }) => {
    const runs = await Promise.all(
      Array.from({ length: 8 }, () => run([PORTABLE, "--version"], { env })),
    );
    for (const { code, stdout, stderr } of runs) {
      assert.match(stdout, /^tau /, stderr);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    }
    assert.deepEqual(await namesIn(`${cache}/tau`), UNPACKED);
    await assertWhole(`${cache}/tau`);
  }));

for (
  const [moment, isReached] of Object.entries({
    "while it copies": (fresh) => sizeOf(`${fresh}/payload`) > 0,
    "while it unpacks": (fresh) => sizeOf(`${fresh}/tree/deno`) > 0,
    "when it has unpacked": (fresh) => sizeOf(`${fresh}/tree/app/main.js`) > 0,
  } as Record<string, (fresh: string) => boolean>)
) {
  Deno.test(`tau-portable starts after a first run that was killed ${moment}`, () =>
    inPortablePlace(async ({ cache, env }) => {
      const fresh = await killFirstRun({ cache, env }, isReached);
      // It looks as if it were left long ago, and goes.
      const longAgo = new Date(Date.now() - 2 * 3600 * 1000);
      if (fresh !== undefined) await Deno.utime(fresh, longAgo, longAgo);
      const { code, stdout, stderr } = await run([PORTABLE, "--version"], {
        env,
      });
      assert.match(stdout, /^tau /, stderr);
      assert.equal(code, 0);
      assert.deepEqual(await namesIn(`${cache}/tau`), UNPACKED);
      await assertWhole(`${cache}/tau`);
    }));
}

Deno.test("tau-portable unpacks with a tar that takes no size of its pieces", () =>
  inPortablePlace(async ({ folder, cache, env }) => {
    await Deno.mkdir(`${folder}/bin`);
    await Deno.writeTextFile(
      `${folder}/bin/tar`,
      `#!/bin/sh
      [ "$1" != -b ] || { echo "tar: invalid option -- 'b'" >&2; exit 1; }
      PATH=$REST exec tar "$@"`,
      { mode: 0o755 },
    );
    const { code, stdout, stderr } = await run([PORTABLE, "--version"], {
      env: { ...env, PATH: `${folder}/bin:${env.PATH}`, REST: env.PATH ?? "" },
    });
    assert.match(stdout, /^tau /, stderr);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    await assertWhole(`${cache}/tau`);
  }));

Deno.test("tau-portable ends with a clear error when the file was cut short, and leaves nothing", () =>
  inPortablePlace(async ({ folder, cache, env }) => {
    const { size } = await Deno.stat(PORTABLE);
    const cuts = [HEADER_BYTES, HEADER_BYTES + 1, size >> 1, size - 1];
    for (const length of cuts) {
      const cut = `${folder}/cut`;
      await Deno.copyFile(PORTABLE, cut);
      await Deno.truncate(cut, length);
      assert.deepEqual(await run([cut, "--version"], { env }), {
        code: 125,
        stdout: "",
        stderr: `tau: this file is damaged: ${cut}; get it again\n`,
      }, `cut at ${length}`);
      assert.deepEqual(await namesIn(`${cache}/tau`), []);
    }
  }));

Deno.test("tau-portable does nothing when even its script was cut short", () =>
  inPortablePlace(async ({ folder, cache, env }) => {
    const script = (await Deno.readFile(PORTABLE)).subarray(0, HEADER_BYTES);
    const end = new TextDecoder().decode(script).lastIndexOf("\n}\n");
    assert(end > 1000);
    for (let length = end; length > 600; length -= 397) {
      const cut = `${folder}/cut`;
      await Deno.writeFile(cut, script.subarray(0, length), { mode: 0o755 });
      const { code, stdout } = await run(["sh", cut, "--version"], { env });
      assert.notEqual(code, 0, `cut at ${length}`);
      assert.equal(stdout, "");
      assert.deepEqual(await namesIn(cache), []);
    }
  }));

Deno.test("tau-portable ends with a clear error when one bit of it is wrong", () =>
  inPortablePlace(async ({ folder, cache, env }) => {
    const wrong = `${folder}/wrong`;
    await Deno.copyFile(PORTABLE, wrong);
    using file = await Deno.open(wrong, { read: true, write: true });
    await file.seek(-1000, Deno.SeekMode.End);
    const byte = new Uint8Array(1);
    await file.read(byte);
    await file.seek(-1000, Deno.SeekMode.End);
    await file.write(byte.map((value) => value ^ 1));
    file.close();
    assert.deepEqual(await run([wrong, "--version"], { env }), {
      code: 125,
      stdout: "",
      stderr: `tau: this file is damaged: ${wrong}; get it again\n`,
    });
    assert.deepEqual(await namesIn(`${cache}/tau`), []);
  }));

needing("bubblewrap")(
  "tau-portable ends with a clear error on a full disk, and leaves nothing there",
  () =>
    inPortablePlace(async ({ cache, env }) => {
      await Deno.mkdir(cache);
      // Room for a part of the copy; for the copy and a part of the tree.
      for (const megabytes of [10, 80]) {
        const { code, stdout, stderr } = await run([
          ...[bubblewrapPath(), "--dev-bind", "/", "/"],
          ...["--size", `${megabytes * 1024 * 1024}`, "--tmpfs", cache],
          ...[
            "sh",
            "-c",
            `"$0" --version; code=$?; ls -A ${cache}/tau; exit $code`,
          ],
          PORTABLE,
        ], { env });
        assert.equal(code, 125, stderr);
        assert.equal(stdout, "");
        assert.match(
          stderr.trimEnd().split("\n").at(-1) ?? "",
          /^tau: cannot unpack into \S+\/cache\/tau: it takes \d+ MB there$/,
        );
        assert.match(stderr, /No space left/);
      }
    }),
);

for (
  const [what, spoil, ...needs] of [
    ["that others can write to", (base) => Deno.chmod(base, 0o777)],
    ["that its group can write to", (base) => Deno.chmod(base, 0o770)],
    [
      "that belongs to somebody else",
      (base) => Deno.chown(base, 4321, 4321),
      // Only root can give a folder away.
      "root",
    ],
  ] as [what: string, spoil: (base: string) => Promise<void>, ...Need[]][]
) {
  needing(...needs)(
    `tau-portable uses no cache folder ${what}`,
    () =>
      inPortablePlace(async ({ cache, env }) => {
        await run([PORTABLE, "--version"], { env });
        // What is in there could be anything by now.
        for await (const { name } of Deno.readDir(`${cache}/tau`)) {
          if (name.length !== 64) continue;
          const program = `${cache}/tau/${name}/deno`;
          await Deno.remove(program);
          await Deno.writeTextFile(program, "#!/bin/sh\necho hostile\n");
          await Deno.chmod(program, 0o755);
        }
        const told = await run([PORTABLE, "--version"], { env });
        assert.equal(told.stdout, "hostile\n", "the test has no teeth");
        await spoil(`${cache}/tau`);
        const { stdout, stderr } = await run([PORTABLE, "--version"], { env });
        assert.match(stdout, /^tau /, stderr);
        assert.deepEqual(
          await namesIn(`${env.TMPDIR}/tau-${Deno.uid()}`),
          UNPACKED,
        );
      }),
  );
}

Deno.test("tau-portable follows no link among the temporary files, and says what to set", () =>
  inPortablePlace(async ({ folder, env: { PATH, TMPDIR } }) => {
    const base = `${TMPDIR}/tau-${Deno.uid()}`;
    await Deno.mkdir(`${folder}/target`, { mode: 0o700 });
    await Deno.symlink(`${folder}/target`, base);
    const env = { PATH, TMPDIR } as Record<string, string>;
    assert.deepEqual(await run([PORTABLE, "--version"], { env }), {
      code: 125,
      stdout: "",
      stderr:
        `tau: no folder for its files: set XDG_CACHE_HOME to one that is yours alone (${base} is not)\n`,
    });
    assert.deepEqual(await namesIn(`${folder}/target`), []);
  }));

/** Kills a first run with all that it started at a moment, and returns the folder that it leaves. */
async function killFirstRun(
  { cache, env }: Pick<Place, "cache" | "env">,
  isReached: (fresh: string) => boolean,
): Promise<string | undefined> {
  const child = new Deno.Command(PORTABLE, {
    args: ["--version"],
    env,
    clearEnv: true,
    detached: true,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const over = child.status.then(() => true);
  try {
    while (true) {
      const fresh = freshFolder(cache);
      if (fresh !== undefined && isReached(fresh)) {
        Deno.kill(-child.pid, "SIGKILL");
        await over;
        return freshFolder(cache);
      }
      const tick = new Promise<false>((resolve) =>
        setTimeout(resolve, 1, false)
      );
      assert.equal(await Promise.race([over, tick]), false, "it came too late");
      await tick;
    }
  } finally {
    await over;
  }
}

function freshFolder(cache: string): string | undefined {
  try {
    for (const { name } of Deno.readDirSync(`${cache}/tau`)) {
      if (name.startsWith(".new.")) return `${cache}/tau/${name}`;
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return undefined;
}

function sizeOf(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return 0;
  }
}

/** Fails unless the unpacked files are those that were packed. */
async function assertWhole(base: string): Promise<void> {
  for await (const { name } of Deno.readDir(base)) {
    if (name.length !== 64) continue;
    assert.deepEqual(await namesIn(`${base}/${name}`), ["app", "deno"]);
    const unpacked = await Deno.readFile(`${base}/${name}/deno`);
    assert.deepEqual(
      await crypto.subtle.digest("SHA-256", unpacked),
      await crypto.subtle.digest(
        "SHA-256",
        await Deno.readFile(Deno.execPath()),
      ),
    );
  }
}
