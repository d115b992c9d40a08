// What each form of tau costs: its size, its first run, which may unpack it,
// and later runs, beside an empty program and beside the bundle. Build them
// first: `deno task build`.
import { BARE_FLAGS, V8_FLAGS } from "../../build/run_flags.ts";
import { type Life, pause } from "./child.ts";
import { encodeBody, serveBodies, textAnswer } from "./completions_server.ts";

interface Program {
  name: string;
  command: string[];
  /** The file to give away, if it is one. */
  file?: string;
}

/** Least times in milliseconds. */
interface Measured {
  versionMs: number;
  requestMs: number;
}

const FIRST_RUNS = 3;
const RUNS = 25;

const DIST = new URL("../../dist/", import.meta.url).pathname;
const RUN = [Deno.execPath(), "run", ...BARE_FLAGS];

const folder = await Deno.makeTempDir();
const body = encodeBody(textAnswer("ok"));
const server = serveBodies(() => body);
try {
  await Deno.writeTextFile(`${folder}/empty.js`, "");
  const empty = [...RUN, `${folder}/empty.js`];
  const programs = await builtPrograms();
  const firstMs = new Map<string, number>();
  for (const { name, command, file } of programs) {
    if (file) firstMs.set(name, await measureFirstRun(command));
  }
  const { emptyMs, measured } = await measureAll(empty, programs);
  report(programs, { emptyMs, firstMs, measured });
} finally {
  server.close();
  await Deno.remove(folder, { recursive: true });
}

async function builtPrograms(): Promise<Program[]> {
  const all: Program[] = [
    { name: "bundle", command: [...RUN, V8_FLAGS, `${DIST}app/main.js`] },
    ...["tau-portable", "tau"].map((name) => ({
      name,
      command: [`${DIST}${name}`],
      file: `${DIST}${name}`,
    })),
  ];
  const isThere = await Promise.all(
    all.map(({ command }) =>
      Deno.stat(command.at(-1) ?? "").then(() => true, () => false)
    ),
  );
  all.forEach(({ name }, i) => {
    if (!isThere[i]) print(`${name}: not there`);
  });
  return all.filter((_, i) => isThere[i]);
}

async function measureFirstRun(command: string[]): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < FIRST_RUNS; i++) {
    const cache = await Deno.makeTempDir();
    least = Math.min(least, await timeOf([...command, "--version"], cache));
    await Deno.remove(cache, { recursive: true });
  }
  return least;
}

/** In turns, so that whatever else the machine does disturbs all of them alike. */
async function measureAll(
  empty: string[],
  programs: Program[],
): Promise<{ emptyMs: number; measured: Map<string, Measured> }> {
  const measured = new Map<string, Measured>();
  let emptyMs = Infinity;
  for (let i = 0; i <= RUNS; i++) {
    const emptyRunMs = await timeOf(empty);
    for (const { name, command } of programs) {
      const versionMs = await timeOf([...command, "--version"]);
      const requestMs = await timeToRequest(command);
      // The first round fills caches.
      if (i === 0) continue;
      const least = measured.get(name);
      measured.set(name, {
        versionMs: Math.min(versionMs, least?.versionMs ?? Infinity),
        requestMs: Math.min(requestMs, least?.requestMs ?? Infinity),
      });
    }
    if (i > 0) emptyMs = Math.min(emptyMs, emptyRunMs);
  }
  return { emptyMs, measured };
}

async function timeToRequest(command: string[]): Promise<number> {
  server.arrivalsMs.length = 0;
  const args = ["-p", "--no-session", "--model", "openai/bench", "go"];
  const { startMs } = await lifeOf([...command, ...args]);
  return (server.arrivalsMs[0] ?? NaN) - startMs;
}

async function timeOf(command: string[], cache?: string): Promise<number> {
  return (await lifeOf(command, cache)).wallMs;
}

async function lifeOf(
  [program = "", ...args]: string[],
  cache = `${folder}/cache`,
): Promise<Life> {
  await pause();
  const startMs = performance.now();
  const { success, stderr } = await new Deno.Command(program, {
    args,
    cwd: folder,
    env: {
      // Deno's cache, too, without what a developer's own has gathered.
      XDG_CACHE_HOME: cache,
      TAU_HOME: `${folder}/home`,
      OPENAI_BASE_URL: server.baseUrl,
      OPENAI_API_KEY: "bench",
    },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  const wallMs = performance.now() - startMs;
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return { startMs, wallMs };
}

function report(programs: Program[], { emptyMs, firstMs, measured }: {
  emptyMs: number;
  firstMs: Map<string, number>;
  measured: Map<string, Measured>;
}): void {
  print(`an empty program: ${emptyMs.toFixed(0)} ms`);
  const bundle = measured.get("bundle");
  for (const { name, file } of programs) {
    const { versionMs, requestMs } = measured.get(name) as Measured;
    const size = file
      ? `${(Deno.statSync(file).size / 1e6).toFixed(1)} MB, first run ${
        firstMs.get(name)?.toFixed(0)
      } ms`
      : "";
    print(`${name}: ${size}`);
    const besides = (ms: number, bundleMs: number | undefined) =>
      `${ms.toFixed(1)} ms, ${(ms / emptyMs).toFixed(2)} times empty` +
      (bundleMs && file
        ? `, ${(ms / bundleMs).toFixed(2)} times the bundle`
        : "");
    print(`  --version               ${besides(versionMs, bundle?.versionMs)}`);
    print(`  to first model request  ${besides(requestMs, bundle?.requestMs)}`);
  }
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
