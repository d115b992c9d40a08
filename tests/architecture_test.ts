import assert from "node:assert/strict";

/** What a folder of src/ may import: anything, or types only. */
interface Allowed {
  value?: string[];
  type?: string[];
}

const MAY_IMPORT: Record<string, Allowed> = {
  policy: {},
  model: {},
  providers: { value: ["model"] },
  agent: { value: ["model"] },
  operations: { value: ["policy"] },
  sdk: { value: ["agent", "model"], type: ["operations"] },
  tools: { value: ["sdk", "operations"] },
  settings: { value: ["model", "policy"] },
  session: { value: ["agent", "model", "sdk"] },
  context: { value: ["model", "settings"], type: ["session"] },
  store: { type: ["session"] },
  plugin_host: { value: ["sdk"], type: ["agent", "settings"] },
  sandbox: { value: ["policy"] },
  protocol: { value: ["model", "policy"], type: ["agent", "session"] },
  kernel: {
    value: [
      "protocol",
      "session",
      "plugin_host",
      "tools",
      "operations",
      "sdk",
      "agent",
      "model",
      "policy",
    ],
  },
  host: {
    value: [
      "providers",
      "model",
      "protocol",
      "store",
      "sandbox",
      "policy",
      "context",
      "settings",
    ],
    type: ["agent"],
  },
  cli: {
    value: [
      "host",
      "protocol",
      "store",
      "policy",
      "model",
      "agent",
      "settings",
    ],
    type: ["agent", "session"],
  },
};

/** Composition roots pick concrete parts and may import anything. */
const ROOTS = new Set(["main.ts", "mod.ts", "kernel/main.ts"]);

/** The packages that the SDKs of providers are: types only, since they cost 100 ms at start. */
const TYPES_ONLY = ["@anthropic-ai/sdk", "openai"];

const SRC = new URL("../src/", import.meta.url);

Deno.test("imports in src/ flow one way, through mod.ts", async () => {
  const wrong: string[] = [];
  for await (const path of sourceFiles("")) {
    if (ROOTS.has(path)) continue;
    const [folder = ""] = path.split("/");
    const { value = [], type = [] } = MAY_IMPORT[folder] ??
      assert.fail(`src/${folder} is not in the table`);
    const source = await Deno.readTextFile(new URL(path, SRC));
    for (const { target, typeOnly } of imports(source, new URL(path, SRC))) {
      const [to = "", ...rest] = target.split("/");
      if (to === folder) continue;
      const listed = value.includes(to) || (typeOnly && type.includes(to));
      if (!listed || rest.join("/") !== "mod.ts") {
        wrong.push(`${path} imports ${target}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

Deno.test("src/ loads no node: built-in at start and no SDK at all", async () => {
  const wrong: string[] = [];
  for await (const path of sourceFiles("")) {
    const source = await Deno.readTextFile(new URL(path, SRC));
    for (const { specifier, typeOnly } of bareImports(source)) {
      const isSdk = TYPES_ONLY.some((name) =>
        specifier === name || specifier.startsWith(`${name}/`)
      );
      if (specifier.startsWith("node:") || (isSdk && !typeOnly)) {
        wrong.push(`${path} imports ${specifier}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

Deno.test("src/ARCHITECTURE.md names only paths that exist", async () => {
  const text = await Deno.readTextFile(new URL("ARCHITECTURE.md", SRC));
  const paths = [...text.matchAll(/`((?:src|tests|plugins|build)\/[\w./-]*)`/g)]
    .map(([, path = ""]) => path);
  assert(paths.length > 10, "the code map is missing");
  const missing: string[] = [];
  for (const path of new Set(paths)) {
    const found = await Deno.stat(new URL(`../${path}`, SRC)).catch(() => {});
    if (!found) missing.push(path);
  }
  assert.deepEqual(missing, []);
});

const FROM = /^(?:import|export)\s+(type\s)?[^;]*?from\s+"([^"]+)"/gm;
const CALLED = /\bimport\(\s*"([^"]+)"/g;

/** The files under src/ that a module imports or re-exports. */
function* imports(
  source: string,
  base: URL,
): Iterable<{ target: string; typeOnly: boolean }> {
  for (const { specifier, typeOnly } of allImports(source)) {
    if (!specifier.startsWith(".")) continue;
    const { href } = new URL(specifier, base);
    if (!href.startsWith(SRC.href)) assert.fail(`${base} imports ${specifier}`);
    yield { target: href.slice(SRC.href.length), typeOnly };
  }
}

/** The packages and built-ins that a module imports when it is loaded; later ones cost nothing at start. */
function* bareImports(
  source: string,
): Iterable<{ specifier: string; typeOnly: boolean }> {
  for (const [, type, specifier = ""] of source.matchAll(FROM)) {
    if (!specifier.startsWith(".")) {
      yield { specifier, typeOnly: type !== undefined };
    }
  }
}

function* allImports(
  source: string,
): Iterable<{ specifier: string; typeOnly: boolean }> {
  for (const [, type, specifier = ""] of source.matchAll(FROM)) {
    yield { specifier, typeOnly: type !== undefined };
  }
  for (const [, specifier = ""] of source.matchAll(CALLED)) {
    yield { specifier, typeOnly: false };
  }
}

async function* sourceFiles(folder: string): AsyncIterable<string> {
  for await (const entry of Deno.readDir(new URL(folder || ".", SRC))) {
    const path = folder + entry.name;
    if (entry.isDirectory) yield* sourceFiles(path + "/");
    else if (path.endsWith(".ts")) yield path;
  }
}

Deno.test("the program loads nothing of the host before it knows what it is asked for", async () => {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--no-lock", new URL("main.ts", SRC).pathname],
    stderr: "null",
  }).output();
  const { modules, roots } = JSON.parse(new TextDecoder().decode(stdout)) as {
    roots: string[];
    modules: {
      specifier: string;
      dependencies?: {
        isDynamic?: boolean;
        code?: { specifier?: string };
      }[];
    }[];
  };
  const bySpecifier = new Map(modules.map((one) => [one.specifier, one]));
  const loaded = new Set(roots);
  for (const specifier of loaded) {
    for (const one of bySpecifier.get(specifier)?.dependencies ?? []) {
      if (!one.isDynamic && one.code?.specifier) {
        loaded.add(one.code.specifier);
      }
    }
  }
  const folders = [...loaded].flatMap((specifier) =>
    /\/src\/(\w+)\//.exec(specifier)?.[1] ?? []
  );
  assert.deepEqual([...new Set(folders)].sort(), ["cli", "policy"]);
});
