import assert from "node:assert/strict";
import { parseBuildOptions } from "../../build/build_options.ts";
import { makeBundle } from "../../build/bundle.ts";
import { writeBuildFacts } from "../../build/build_facts.ts";
import { CODECS } from "../../build/codec.ts";
import { makePortable } from "../../build/portable.ts";
import { BARE_FLAGS, V8_FLAGS } from "../../build/run_flags.ts";
import { ownTarget, TARGETS } from "../../build/targets.ts";
import { needing } from "../support/needs.ts";
import { inTempFolder } from "../support/temp_folder.ts";
import { inPortablePlace, namesIn, run, UNPACKED } from "./portable_run.ts";

const ROOT = new URL("../../", import.meta.url);

Deno.test("makeBundle() makes the same bytes of the same source in two folders", () =>
  inTempFolder(async (folder) => {
    const bundles: Record<string, string>[] = [];
    for (const name of ["one", "another place"]) {
      const root = new URL(`file://${folder}/${name}/`);
      for (const part of ["src", "deno.json", "deno.lock", "LICENSE"]) {
        await copy(new URL(part, ROOT), new URL(part, root));
      }
      const out = new URL("made here/", root);
      await Deno.mkdir(out);
      await makeBundle(root, out);
      bundles.push(await textsIn(out));
    }
    assert.ok(bundles[0]?.["main.js"] && bundles[0]["kernel/main.js"]);
    assert.ok(bundles[0].THIRD_PARTY_NOTICES);
    assert.match(
      bundles[0]["declarations.txt"] ?? "",
      /^declare module "tau"/m,
    );
    assert.deepEqual(bundles[0], bundles[1]);
  }));

for (const codec of CODECS) {
  const test = codec === "zstd" ? needing("zstd") : needing();
  test(`makePortable() makes the same bytes of the same parts, which run, codec ${codec}`, () =>
    inPortablePlace(async ({ folder, cache, env }) => {
      // In place of Deno: renames as the launcher asks, and says how it is started.
      const deno = new URL(`file://${folder}/deno`);
      await Deno.writeTextFile(
        deno,
        `#!/bin/sh
      if [ "$1" = eval ]; then shift 5; mv "$1" "$2"; exit; fi
      printf '%s|' "$@"`,
      );
      const bundle = new URL(`file://${folder}/app/`);
      await Deno.mkdir(new URL("kernel", bundle), { recursive: true });
      await Deno.writeTextFile(new URL("main.js", bundle), "1");
      await Deno.writeTextFile(new URL("kernel/main.js", bundle), "2");
      await writeBuildFacts(bundle, { form: "portable", commit: "c" });
      const files = [1, 2].map((n) => `${folder}/${codec} ${n}`);
      for (const file of files) {
        await makePortable(
          { target: ownTarget(), version: "1", deno, bundle, codec },
          new URL(`file://${file}`),
        );
      }
      const [first, second] = await Promise.all(
        files.map((file) => Deno.readFile(file)),
      );
      assert.deepEqual(first, second);
      const { stdout, stderr } = await run([files[0] as string, "a b", "*"], {
        env,
      });
      const started = stdout.replace(/[0-9a-f]{64}/, "HASH");
      assert.equal(
        started,
        `${["run", ...BARE_FLAGS, V8_FLAGS].join("|")}|` +
          `${cache}/tau/HASH/app/main.js|a b|*|`,
        stderr,
      );
      assert.deepEqual(
        (await namesIn(`${cache}/tau`)).filter((name) => name !== "deno-dir"),
        UNPACKED.slice(0, 1),
      );
    }));
}

Deno.test("denoProgram() says what it cannot fetch", async () => {
  const other = TARGETS.find((target) => target !== ownTarget());
  const { stdout } = await run([
    ...[Deno.execPath(), "eval", "--no-config"],
    `import { denoProgram } from "${new URL("build/deno_program.ts", ROOT)}";
    import { TARGETS } from "${new URL("build/targets.ts", ROOT)}";
    const folder = Deno.makeTempDirSync();
    const target = TARGETS.find(({ name }) => name === "${other?.name}");
    try { await denoProgram(target, new URL("file://" + folder + "/")); }
    catch ({ name, message }) { console.log(name + ": " + message); }
    console.log([...Deno.readDirSync(folder)].length);
    Deno.removeSync(folder, { recursive: true });`,
  ], { env: { PATH: "/nowhere", HOME: Deno.env.get("HOME") ?? "" } });
  assert.equal(
    stdout,
    `BuildError: Cannot fetch ${other?.npmPackage}@${Deno.version.deno} from npm: "npm" is not installed\n0\n`,
  );
});

Deno.test("parseBuildOptions() builds for this machine, with gzip", () => {
  assert.deepEqual(parseBuildOptions([]), {
    targets: [ownTarget()],
    isNamed: false,
    codec: "gzip",
    bundleOnly: false,
  });
  assert.deepEqual(
    parseBuildOptions(["--target", "all", "--codec=zstd", "--bundle"]),
    { targets: [...TARGETS], isNamed: true, codec: "zstd", bundleOnly: true },
  );
});

for (
  const [args, message] of [
    [["--codec", "xz"], /Unknown codec "xz"; known are none, gzip, zstd/],
    [["--target"], /Unknown target ""; known are linux-x64, /],
    [["--minify"], /Unknown argument "--minify"/],
  ] as [string[], RegExp][]
) {
  Deno.test(`parseBuildOptions() refuses ${args.join(" ")}`, () => {
    assert.throws(() => parseBuildOptions(args), {
      name: "BuildError",
      message,
    });
  });
}

Deno.test("SHA256SUMS holds the sums of what was built", async () => {
  const dist = new URL("dist/", ROOT).pathname;
  const { code, stdout, stderr } = await run(
    ["sha256sum", "-c", "SHA256SUMS"],
    {
      cwd: dist,
      env: { PATH: Deno.env.get("PATH") ?? "", LC_ALL: "C" },
    },
  );
  assert.match(stdout, /^tau-portable: OK$/m, stderr);
  assert.equal(code, 0);
});

async function copy(from: URL, to: URL): Promise<void> {
  if (!(await Deno.stat(from)).isDirectory) {
    await Deno.mkdir(new URL(".", to), { recursive: true });
    return await Deno.copyFile(from, to);
  }
  for await (const { name } of Deno.readDir(from)) {
    await copy(new URL(`${from}/${name}`), new URL(`${to}/${name}`));
  }
}

async function textsIn(
  folder: URL,
  prefix = "",
): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) {
      const inner = new URL(`${name}/`, folder);
      Object.assign(texts, await textsIn(inner, `${prefix}${name}/`));
    } else {
      texts[prefix + name] = await Deno.readTextFile(new URL(name, folder));
    }
  }
  return texts;
}
