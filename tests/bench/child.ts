import { BARE_FLAGS, V8_FLAGS } from "../../build/run_flags.ts";

const CACHE = await Deno.makeTempDir({ prefix: "tau-bench-" });
globalThis.addEventListener("unload", () => {
  Deno.removeSync(CACHE, { recursive: true });
});

const PAUSE_MS = 50;

const CONFIG = new URL("../../deno.json", import.meta.url).pathname;

/** Lets what ran before end: a sandbox does so after its program, and slows down what comes then. */
export async function pause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}

/** When a process was started, on this process's clock, and how long it lived, in milliseconds. */
export interface Life {
  startMs: number;
  wallMs: number;
}

/** Runs a module to its end and throws when it fails. */
export async function runModule(
  module: URL,
  { args = [], flags: more = [], env = {}, cwd, stdout = "null" }: {
    args?: string[];
    /** Deno's own, besides those that it needs. */
    flags?: string[];
    stdout?: "null" | "inherit";
    env?: Record<string, string>;
    cwd?: string;
  } = {},
): Promise<Life> {
  const isBundled = module.pathname.endsWith(".js");
  const flags = isBundled
    ? BARE_FLAGS
    : ["-A", "--no-prompt", "--config", CONFIG];
  await pause();
  const startMs = performance.now();
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      ...flags,
      ...more,
      module.pathname,
      ...args,
    ],
    // Without what a developer's own has gathered.
    env: isBundled ? { DENO_DIR: `${CACHE}/deno`, ...env } : env,
    ...(cwd ? { cwd } : {}),
    stdin: "null",
    stdout,
    stderr: "piped",
  }).output();
  const wallMs = performance.now() - startMs;
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return { startMs, wallMs };
}

/** Runs tau with one prompt against a Chat Completions server, and with a fresh home for its session. */
export async function runTau(
  main: URL,
  { baseUrl, args = [], cwd, settings = {} }: {
    baseUrl: string;
    args?: string[];
    cwd?: string;
    settings?: object;
  },
): Promise<Life> {
  const home = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${home}/settings.json`, JSON.stringify(settings));
    // What earlier runs have left there is there for later ones, as in life.
    await Deno.symlink(CACHE, `${home}/cache`);
    return await runModule(main, {
      flags: main.pathname.endsWith(".js") ? [V8_FLAGS] : [],
      args: ["-p", "--model", "openai/bench", ...args, "go"],
      env: {
        OPENAI_BASE_URL: baseUrl,
        OPENAI_API_KEY: "bench",
        TAU_HOME: home,
      },
      ...(cwd ? { cwd } : {}),
    });
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

/** The least of some measurements: the one that others disturbed least. */
export async function leastOf(
  times: number,
  measure: () => Promise<number>,
): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < times; i++) least = Math.min(least, await measure());
  return least;
}
