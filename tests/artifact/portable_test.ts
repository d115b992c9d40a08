import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { VERSION } from "../../src/cli/version.ts";
import { bubblewrapPath, needing } from "../support/needs.ts";
import { say, startProviderDouble } from "../support/provider_double.ts";
import {
  inPortablePlace,
  namesIn,
  PORTABLE,
  run,
  UNPACKED,
} from "./portable_run.ts";

const VERSION_LINE = new RegExp(
  `^tau ${VERSION} \\(portable, commit \\S+, deno ${Deno.version.deno}, ${Deno.build.target}\\)\\n$`,
);

Deno.test("tau-portable tells what it was built of, and unpacks once", () =>
  inPortablePlace(async ({ cache, env }) => {
    const first = await run([PORTABLE, "--version"], { env });
    assert.match(first.stdout, VERSION_LINE, first.stderr);
    assert.deepEqual(await namesIn(`${cache}/tau`), UNPACKED);
    const [tree] = await treesIn(cache);
    // Were it unpacked again, this would be gone.
    await Deno.writeTextFile(`${tree}/mark`, "");
    assert.deepEqual(await run([PORTABLE, "--version"], { env }), first);
    assert.deepEqual(await namesIn(tree as string), ["app", "deno", "mark"]);
  }));

Deno.test("tau-portable runs the demo from a path with spaces, moved, in another folder, through a link in PATH", () =>
  inPortablePlace(async ({ folder, env }) => {
    await Deno.mkdir(`${folder}/my tools/bin`, { recursive: true });
    await Deno.mkdir(`${folder}/else where`);
    const moved = `${folder}/my tools/-tau's "own" $file`;
    await Deno.copyFile(PORTABLE, moved);
    await Deno.symlink(moved, `${folder}/my tools/bin/tau`);
    const demo = await run(["sh", "-c", 'exec tau "$@"', "sh", "demo"], {
      env: { ...env, PATH: `${folder}/my tools/bin:${env.PATH}` },
      cwd: `${folder}/else where`,
    });
    assert.match(demo.stdout, /5 of 5 checks passed/, demo.stderr);
    assert.equal(demo.code, 0);
  }));

needing("bubblewrap")(
  "tau-portable runs the demo from a folder that cannot be written to",
  () =>
    inPortablePlace(async ({ folder, env }) => {
      const install = `${folder}/install`;
      await Deno.mkdir(install);
      await Deno.copyFile(PORTABLE, `${install}/tau`);
      const demo = await run([
        ...[bubblewrapPath(), "--dev-bind", "/", "/"],
        ...["--ro-bind", install, install],
        ...[`${install}/tau`, "demo"],
      ], { env, cwd: install });
      assert.match(demo.stdout, /5 of 5 checks passed/, demo.stderr);
      assert.deepEqual(await namesIn(install), ["tau"]);
    }),
);

Deno.test("tau-portable runs the demo without HOME, from a private folder among the temporary files", () =>
  inPortablePlace(async ({ folder, env: { PATH, TMPDIR, TAU_HOME } }) => {
    const env = { PATH, TMPDIR, TAU_HOME } as Record<string, string>;
    const demo = await run([PORTABLE, "demo"], { env, cwd: folder });
    assert.match(demo.stdout, /5 of 5 checks passed/, demo.stderr);
    const base = `${TMPDIR}/tau-${Deno.uid()}`;
    assert.deepEqual(await namesIn(base), UNPACKED);
    assert.equal((await Deno.stat(base)).mode! & 0o777, 0o700);
  }));

Deno.test("tau-portable keeps its kernel compiled, also after a run that was over at once, and what calls need with it", () =>
  inPortablePlace(async ({ folder, env }) => {
    await using double = startProviderDouble({
      api: "openai-completions",
      script: [say("ok")],
    });
    const { code, stderr } = await run([PORTABLE, "-p", "go"], {
      env: { ...env, OPENAI_BASE_URL: double.url, OPENAI_API_KEY: "sk-test" },
      cwd: folder,
    });
    assert.equal(code, 0, stderr);
    const caches = `${env.TAU_HOME}/cache/kernel`;
    const [name = "", ...more] = await namesIn(caches);
    assert.deepEqual(more, []);
    using database = new DatabaseSync(`${caches}/${name}/v8_code_cache_v2`);
    const rows = database.prepare("SELECT specifier FROM codecache").all();
    const names = rows.map(({ specifier }) => String(specifier));
    assert.ok(names.some((name) => name.endsWith("/app/kernel/main.js")));
    assert.ok(
      names.some((name) => /\/app\/implementations-\w+\.js$/.test(name)),
    );
  }));

needing("bubblewrap")(
  "tau-portable runs where its cache can be read and not written",
  () =>
    inPortablePlace(async ({ cache, env }) => {
      const readOnly = [
        ...[bubblewrapPath(), "--dev-bind", "/", "/"],
        ...["--ro-bind", cache, cache],
      ];
      await Deno.mkdir(`${cache}/tau`, { recursive: true, mode: 0o700 });
      // Nothing is there yet: it goes elsewhere.
      const elsewhere = await run([...readOnly, PORTABLE, "--version"], {
        env,
      });
      assert.match(elsewhere.stdout, VERSION_LINE, elsewhere.stderr);
      assert.deepEqual(
        await namesIn(`${env.TMPDIR}/tau-${Deno.uid()}`),
        UNPACKED,
      );
      await Deno.remove(`${env.TMPDIR}/tau-${Deno.uid()}`, { recursive: true });
      await run([PORTABLE, "--version"], { env });
      const again = await run([...readOnly, PORTABLE, "--version"], { env });
      assert.deepEqual(again, elsewhere);
      assert.deepEqual(await namesIn(env.TMPDIR as string), []);
    }),
);

Deno.test("tau-portable starts without what would change Deno's permissions or code", () =>
  inPortablePlace(async ({ folder, env }) => {
    const names = ["dir", "coverage"].map((name) => `${folder}/${name}`);
    const hostile = {
      DENO_PERMISSION_BROKER_PATH: `${folder}/no-broker`,
      DENO_V8_FLAGS: "--no-such-flag",
      DENO_CONDITIONS: "hostile",
      DENO_DIR: names[0] as string,
      DENO_COVERAGE_DIR: names[1] as string,
      DENO_AUDIT_PERMISSIONS: `${folder}/audit`,
      DENO_UNSTABLE_CONTROL_SOCK: "unix:/nowhere",
      NODE_OPTIONS: `--require ${folder}/no-module.js`,
      NODE_CHANNEL_FD: "9",
      LINES_OF: "one\nDENO_CERT=\nDENO_X-Y=2",
    };
    const empty = `${folder}/empty.js`;
    await Deno.writeTextFile(empty, "");
    const bare = await run([Deno.execPath(), "run", "-A", empty], {
      env: { ...env, ...hostile },
    });
    assert.notEqual(bare.code, 0, "Deno itself does not care");
    const { stdout, stderr } = await run([PORTABLE, "--version"], {
      env: { ...env, ...hostile },
    });
    assert.match(stdout, VERSION_LINE, stderr);
    assert.equal(stderr, "");
    assert.deepEqual(
      await namesIn(folder),
      ["cache", "empty.js", "tmp"],
    );
  }));

async function treesIn(cache: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(`${cache}/tau`));
  return entries.filter(({ name }) => name.length === 64)
    .map(({ name }) => `${cache}/tau/${name}`);
}
