import assert from "node:assert/strict";
import { VERSION } from "../../src/cli/version.ts";
import { bubblewrapPath, needing } from "../support/needs.ts";
import { putFiles } from "../support/put_files.ts";
import { COMPILED, inPortablePlace, namesIn, run } from "./portable_run.ts";

needing("compiled tau")(
  "tau, compiled, runs the demo moved and in another folder, and leaves nothing behind",
  () =>
    inPortablePlace(async ({ folder, env }) => {
      const moved = `${folder}/my tau`;
      await Deno.copyFile(COMPILED, moved);
      const { stdout } = await run([moved, "--version"], { env });
      assert.match(
        stdout,
        new RegExp(`^tau ${VERSION} \\(compiled, commit \\S+, deno \\S+, `),
      );
      const demo = await run([moved, "demo"], { env, cwd: folder });
      assert.match(demo.stdout, /5 of 5 checks passed/, demo.stderr);
      assert.equal(demo.stderr, "");
      assert.deepEqual(await namesIn(env.TMPDIR as string), []);
    }),
);

needing("compiled tau", "bubblewrap")(
  "tau, compiled, runs the demo without HOME, from a folder that cannot be written to",
  () =>
    inPortablePlace(async ({ folder, env: { PATH, TMPDIR, TAU_HOME } }) => {
      const install = `${folder}/install`;
      await Deno.mkdir(install);
      await Deno.copyFile(COMPILED, `${install}/tau`);
      const env = { PATH, TMPDIR, TAU_HOME } as Record<string, string>;
      const demo = await run([
        ...[
          bubblewrapPath(),
          "--dev-bind",
          "/",
          "/",
          "--ro-bind",
          install,
          install,
        ],
        ...[`${install}/tau`, "demo"],
      ], { env, cwd: install });
      assert.match(demo.stdout, /5 of 5 checks passed/, demo.stderr);
      assert.equal(demo.stderr, "");
    }),
);

needing("compiled tau")(
  "tau, compiled, loads a plugin in TypeScript of several files from another folder",
  () =>
    inPortablePlace(async ({ folder, env }) => {
      await putFiles(folder, {
        "plugin/mod.ts": `
import { defineTool, Type, type PluginAPI } from "tau";
import { size } from "./parts/size.ts";
enum Colour { Red = "red" }
export default function (tau: PluginAPI): void {
  if (tau.Type !== Type) throw new Error("another module");
  tau.registerTool(defineTool({
    name: \`\${Colour.Red}_\${size}\`,
    label: "x",
    description: "x",
    parameters: Type.Object({}),
    execute: () => Promise.resolve({ content: [] }),
  }));
}
`,
        "plugin/parts/size.ts": `export const size: string = "big";`,
      });
      const checked = await run(
        [COMPILED, "plugins", "check", `${folder}/plugin`],
        { env },
      );
      assert.match(checked.stdout, /red_big/, checked.stderr);
      assert.equal(checked.code, 0);
    }),
);
