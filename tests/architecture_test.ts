import assert from "node:assert/strict";

/** What a folder of src/ may import: anything, types only, or from any folder the names that sdk/mod.ts lists. */
interface Allowed {
  value?: string[];
  type?: string[];
  likeATool?: true;
}

const MAY_IMPORT: Record<string, Allowed> = {
  policy: {},
  model: {},
  providers: { value: ["model"] },
  agent: { value: ["model"] },
  operations: { value: ["policy"] },
  sdk: { value: ["agent", "model"], type: ["operations"] },
  tools: { value: ["model", "sdk", "operations"], likeATool: true },
  settings: { value: ["model", "policy"] },
  session: { value: ["agent", "model", "sdk", "policy"], type: ["protocol"] },
  context: { value: ["model", "settings"], type: ["session"] },
  store: { value: ["model", "protocol"], type: ["session"] },
  plugin_host: {
    value: ["model", "sdk", "settings"],
    type: ["agent"],
    likeATool: true,
  },
  sandbox: { value: ["policy"] },
  protocol: { value: ["model", "policy"], type: ["agent", "session"] },
  kernel: {
    value: [
      "protocol",
      "plugin_host",
      "tools",
      "operations",
      "sdk",
      "agent",
      "model",
      "policy",
    ],
  },
  library: {
    value: [
      "host",
      "providers",
      "kernel",
      "session",
      "tools",
      "operations",
      "sdk",
      "model",
      "protocol",
      "policy",
    ],
    type: ["agent"],
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
      "session",
      "agent",
      "sdk",
      "tools",
      "operations",
    ],
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

/** Lists of a public boundary. Inside the program a file imports from the file that has the thing. */
const LISTS = new Set(["mod.ts", "model/mod.ts", "agent/mod.ts", "sdk/mod.ts"]);

Deno.test("imports in src/ flow one way, from the file that has what is wanted", async () => {
  const wrong: string[] = [];
  const sdk = new Set(
    (await Deno.readTextFile(new URL("sdk/mod.ts", SRC))).match(/\w+/g),
  );
  for (const { path, links } of await readSource()) {
    if (ROOTS.has(path)) continue;
    const [folder = ""] = path.split("/");
    const { value = [], type = [], likeATool } = MAY_IMPORT[folder] ??
      assert.fail(`src/${folder} is not in the table`);
    for (const { target, typeOnly, names } of links) {
      const [to = ""] = target.split("/");
      const listed = to === folder || value.includes(to) ||
        (typeOnly && type.includes(to)) ||
        (likeATool && names.every((name) => sdk.has(name)));
      if (!listed || (LISTS.has(target) && !LISTS.has(path))) {
        wrong.push(`${path} imports ${target}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

Deno.test("no files of src/ import each other in a circle, types included", async () => {
  const targets = new Map(
    (await readSource()).map((
      { path, links },
    ) => [path, links.map(({ target }) => target)]),
  );
  assert.deepEqual(circlesOf(targets), []);
});

Deno.test("what another folder of src/ uses has a docstring", async () => {
  const files = await readSource();
  const sources = new Map(files.map(({ path, source }) => [path, source]));
  const bare = new Set<string>();
  for (const { path, links } of files) {
    if (LISTS.has(path)) continue;
    const [folder = ""] = path.split("/");
    for (const { target, names } of links) {
      if (target.startsWith(`${folder}/`) || LISTS.has(target)) continue;
      const source = sources.get(target) ?? assert.fail(`no ${target}`);
      for (const name of names) {
        if (!isDocumented(name, source)) bare.add(`${target} ${name}`);
      }
    }
  }
  assert.deepEqual([...bare].sort(), []);
});

Deno.test("doc comments in src/ begin with a verb or the thing itself, but for 2 % of them", async () => {
  const riddle =
    /^ *\/\*\*\s+(?:\* )?(?:What|Whether|Of|Who|Whoever|Whose|How|Why|Where)\b.*/gm;
  let comments = 0;
  const found: string[] = [];
  for (const { path, source } of await readSource()) {
    comments += source.match(/^ *\/\*\*/gm)?.length ?? 0;
    for (const [text] of source.matchAll(riddle)) {
      found.push(`${path}: ${text}`);
    }
  }
  assert(found.length <= comments * 0.02, found.join("\n"));
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

Deno.test("no way of a value in src/ARCHITECTURE.md is longer than it says", async () => {
  const text = await Deno.readTextFile(new URL("ARCHITECTURE.md", SRC));
  const [, section = ""] = text.split("## Ways of a value");
  const ways = section.split("\n## ")[0]?.split("\n- ").slice(1) ?? [];
  assert.equal(ways.length, 5);
  for (const way of ways) {
    const [, most = ""] = /^[^:]*, at most (\d+):/.exec(way) ?? [];
    // The first sentence is the way; what follows it is beside it.
    const files = (way.split(/\.\s+[A-Z]/)[0] ?? "").match(/`src\/[^`]+`/g);
    assert(files && files.length > 3, way);
    assert(files.length <= Number(most), `${files.length}: ${way}`);
  }
});

const FROM = /^(?:import|export)\s+(type\s)?([^;]*?)from\s+"([^"]+)"/gm;
const CALLED = /\bimport\(\s*"([^"]+)"/g;

interface Import {
  specifier: string;
  typeOnly: boolean;
  /** The names that are imported, as the file that has them calls them. */
  names: string[];
}

/** A file of src/ and the files there that it imports or passes on. */
interface SourceFile {
  path: string;
  source: string;
  links: (Import & { target: string })[];
}

let reading: Promise<SourceFile[]> | undefined;

function readSource(): Promise<SourceFile[]> {
  return reading ??= Array.fromAsync(sourceFiles(""), async (path) => {
    const source = await Deno.readTextFile(new URL(path, SRC));
    const links = [...allImports(source)].flatMap((one) => {
      if (!one.specifier.startsWith(".")) return [];
      const { href } = new URL(one.specifier, new URL(path, SRC));
      assert(href.startsWith(SRC.href), `${path} imports ${one.specifier}`);
      return [{ ...one, target: href.slice(SRC.href.length) }];
    });
    return { path, source, links };
  });
}

/** Packages and built-ins that a module imports when it is loaded; later ones cost nothing at start. */
function* bareImports(source: string): Iterable<Import> {
  for (const one of allImports(source, [FROM])) {
    if (!one.specifier.startsWith(".")) yield one;
  }
}

function* allImports(
  source: string,
  patterns = [FROM, CALLED],
): Iterable<Import> {
  for (const pattern of patterns) {
    for (const match of source.matchAll(pattern)) {
      const [, type, clause = "", specifier] = match.length > 2
        ? match
        : [match[0], undefined, "", match[1]];
      yield {
        specifier: specifier ?? "",
        typeOnly: type !== undefined,
        names: [...clause.matchAll(/[{,]\s*(?:type\s+)?(\w+)/g)]
          .map(([, name = ""]) => name),
      };
    }
  }
}

/** Whether an exported thing has a doc comment, or is passed on from elsewhere. */
function isDocumented(name: string, source: string): boolean {
  return new RegExp(
    `\\*/\\s*(?://.*\\s*)*export (?:declare |async |abstract )*\\w+\\*? ${name}\\b|export (?:type )?\\{[^}]*\\b${name}\\b`,
  ).test(source);
}

/** Groups of files in which each reaches each other one (Tarjan), sorted. */
function circlesOf(targets: Map<string, string[]>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (path: string): void => {
    index.set(path, index.size);
    low.set(path, index.get(path)!);
    stack.push(path);
    for (const target of targets.get(path) ?? []) {
      if (!index.has(target)) visit(target);
      if (stack.includes(target)) {
        low.set(path, Math.min(low.get(path)!, low.get(target)!));
      }
    }
    if (low.get(path) !== index.get(path)) return;
    const circle = stack.splice(stack.indexOf(path));
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const path of targets.keys()) visit(path);
  return circles.sort();
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
