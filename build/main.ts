import { VERSION } from "../src/cli/version.ts";
import { BuildError } from "./build_error.ts";
import { currentCommit, writeBuildFacts } from "./build_facts.ts";
import {
  type BuildOptions,
  parseBuildOptions,
  USAGE,
} from "./build_options.ts";
import { makeBundle } from "./bundle.ts";
import { writeChecksums } from "./checksums.ts";
import { makeCompiled } from "./compiled.ts";
import { denoProgram } from "./deno_program.ts";
import { makePortable } from "./portable.ts";
import type { Target } from "./targets.ts";

// Makes tau in dist/: the bundle app/, and of it the single files
// tau-portable (Deno and the bundle behind a shell script) and tau (by
// `deno compile`, where its runtime base can be had), with SHA256SUMS. Files
// for machines that were named have those names at the end.

const ROOT = new URL("../", import.meta.url);
const DIST = new URL("dist/", ROOT);

try {
  if (Deno.args.includes("--help")) say(USAGE.trimEnd());
  else await build(parseBuildOptions(Deno.args));
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  say(`build: ${error.message}`);
  Deno.exit(1);
}

async function build(options: BuildOptions): Promise<void> {
  const { targets, bundleOnly } = options;
  const commit = await currentCommit(ROOT);
  const bundle = await emptyFolder(new URL("app/", DIST));
  await makeBundle(ROOT, bundle);
  if (!bundleOnly) {
    const made: string[] = [];
    for (const target of targets) {
      made.push(...await makeFiles(target, { bundle, commit, ...options }));
    }
    await writeChecksums(DIST, made);
  }
  await writeBuildFacts(bundle, { form: "bundle", commit });
  say("dist/app is the bundle");
}

async function makeFiles(
  target: Target,
  { bundle, commit, isNamed, codec }: BuildOptions & {
    bundle: URL;
    commit: string;
  },
): Promise<string[]> {
  const made: string[] = [];
  const ending = isNamed ? `-${target.name}` : "";
  if (target.hasShell) {
    const name = `tau-portable${ending}`;
    await writeBuildFacts(bundle, { form: "portable", commit });
    const deno = await denoProgram(target, new URL("cache/", DIST));
    await makePortable(
      { target, version: VERSION, deno, bundle, codec },
      new URL(name, DIST),
    );
    made.push(name);
    say(`dist/${name}`);
  }
  const name = `tau${ending}${target.hasShell ? "" : ".exe"}`;
  const file = new URL(name, DIST);
  await writeBuildFacts(bundle, { form: "compiled", commit });
  try {
    await makeCompiled(target, bundle, file);
    made.push(name);
    say(`dist/${name}`);
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    // No file of an earlier build stays in its place.
    await Deno.remove(file).catch(() => {});
    say(`dist/${name} was not made: ${error.message}`);
  }
  return made;
}

async function emptyFolder(folder: URL): Promise<URL> {
  await Deno.remove(folder, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  await Deno.mkdir(folder, { recursive: true });
  return folder;
}

function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
