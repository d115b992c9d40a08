const CACHE = await Deno.makeTempDir({ prefix: "tau-bench-" });
globalThis.addEventListener("unload", () => {
  Deno.removeSync(CACHE, { recursive: true });
});

/** Deno's flags for a program that needs nothing but itself. */
const BARE = ["--no-config", "--no-lock", "--no-npm", "--no-remote"];

const CONFIG = new URL("../../deno.json", import.meta.url).pathname;

/** Runs a module to its end and throws when it fails. Resolves to its wall time in milliseconds. */
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
): Promise<number> {
  const flags = module.pathname.endsWith(".ts") ? ["--config", CONFIG] : BARE;
  const startMs = performance.now();
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-prompt",
      ...flags,
      ...more,
      module.pathname,
      ...args,
    ],
    env,
    ...(cwd ? { cwd } : {}),
    stdin: "null",
    stdout,
    stderr: "piped",
  }).output();
  const wallMs = performance.now() - startMs;
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return wallMs;
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
): Promise<number> {
  const home = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${home}/settings.json`, JSON.stringify(settings));
    // What earlier runs have left there is there for later ones, as in life.
    await Deno.symlink(CACHE, `${home}/cache`);
    return await runModule(main, {
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
