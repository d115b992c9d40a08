import { writeFilter } from "../../src/host/confinement.ts";
import { bubblewrapCommand } from "../../src/sandbox/bubblewrap.ts";
import { findBubblewrap } from "../../src/sandbox/find_bubblewrap.ts";

/** Looks for something on this machine. Returns why it is not there, or nothing. */
type Look = () => string | undefined;

/** All that a test may ask for beyond Deno, bash and the programs of a base system. */
const NEEDS = {
  linux: () => Deno.build.os === "linux" ? undefined : "runs on Linux only",
  root: () => Deno.uid() === 0 ? undefined : "runs as root only",
  "ordinary user": () =>
    Deno.uid() === 0
      ? program("setpriv", { package: "util-linux" })()
      : undefined,
  bubblewrap: whyNoBubblewrap,
  tmux: program("tmux"),
  zsh: program("zsh"),
  fish: program("fish"),
  git: program("git"),
  python: program("python3"),
  perl: program("perl"),
  "C compiler": program("cc", { package: "gcc" }),
  npm: program("npm"),
  zstd: program("zstd"),
  pip: whyNoPip,
  script: program("script", { package: "bsdutils" }),
  wget: program("wget"),
  "curl or wget": () =>
    program("wget")() === undefined ? undefined : program("curl")(),
  IPv6: () => hasAddress("::1") ? undefined : "the machine has no IPv6",
  "another address": () =>
    otherAddress() === undefined
      ? "the machine has no address but the loopback's"
      : undefined,
  "compiled tau": () =>
    compiledProgram() === undefined
      ? "no compiled tau: deno run -A --no-prompt tests/artifact/make_compiled.ts"
      : undefined,
} satisfies Record<string, Look>;

/** Something that a test needs of the machine. */
export type Need = keyof typeof NEEDS;

/** A need that only the test can look for, such as packages of a registry: why it is not there, or nothing. */
export interface OwnNeed {
  missing: string | undefined;
}

/** Registers a test, as `Deno.test()` does. */
export type RegisterTest = (
  name: string,
  fn: (t: Deno.TestContext) => void | Promise<void>,
) => void;

/**
 * What registers tests that need something of the machine: `Deno.test` where it
 * is there. Where it is missing they are ignored, and their names end with the
 * reason, which `tests/run_tests.ts` lists. Nothing else in the tests decides
 * that one is not run.
 */
export function needing(...needs: (Need | OwnNeed)[]): RegisterTest {
  const reasons = needs.map((need) =>
    typeof need === "string" ? missing(need) : need.missing
  ).filter((reason) => reason !== undefined);
  if (reasons.length === 0) return Deno.test;
  const mark = skipMark(reasons.join("; "));
  return (name, fn) => Deno.test.ignore(name + mark, fn);
}

const looked = new Map<Need, string | undefined>();

/** Why the machine does not have something; nothing where it has. */
export function missing(need: Need): string | undefined {
  if (!looked.has(need)) looked.set(need, NEEDS[need]());
  return looked.get(need);
}

/** The end of the name of a test that is skipped. */
function skipMark(reason: string): string {
  return ` [skipped: ${reason.replaceAll(/\s+/g, " ").trim()}]`;
}

/** Takes the name of an ignored test apart; no reason where {@linkcode needing} did not ignore it. */
export function readSkipMark(
  name: string,
): { name: string; reason: string | undefined } {
  const [, bare, reason] = /^(.*) \[skipped: (.*)\]$/s.exec(name) ?? [];
  return bare === undefined ? { name, reason } : { name: bare, reason };
}

/** The path of bubblewrap, for tests that use it themselves. */
export function bubblewrapPath(): string {
  const path = findBubblewrap(searchPath(), { writeRoots: [] });
  if (path === undefined) throw new Error("There is no bubblewrap");
  return path;
}

/** The words that run a command with no more rights than an ordinary user's: root's own are taken away. */
export function asOrdinaryUser(command: readonly string[]): string[] {
  return Deno.uid() === 0
    ? ["setpriv", "--bounding-set", "-all", "--inh-caps", "-all", ...command]
    : [...command];
}

/** tau as `deno task build` compiles it, or `make_compiled.ts` for tests; there is none where Deno's runtime base cannot be had. */
export function compiledProgram(): string | undefined {
  return ["dist/tau", "dist/for-tests/tau"]
    .map((path) => new URL(`../../${path}`, import.meta.url).pathname)
    .find(isFile);
}

function program(
  name: string,
  options: { package: string } = { package: name },
): Look {
  return () =>
    searchPath().split(":").some((folder) => isExecutable(`${folder}/${name}`))
      ? undefined
      : `${name} is not installed: apt install ${options.package}`;
}

/** Starts a sandbox as tau does. */
function whyNoBubblewrap(): string | undefined {
  const bubblewrap = findBubblewrap(searchPath(), { writeRoots: [] });
  if (bubblewrap === undefined) {
    return "bubblewrap is not installed: apt install bubblewrap";
  }
  const filter = writeFilter({ unixSockets: false });
  try {
    const [file = "", ...args] = bubblewrapCommand(["echo", "inside"], {
      bubblewrap,
      mounts: [
        { path: "/", kind: "read-only" },
        { path: "/proc", kind: "processes" },
        { path: "/dev", kind: "devices" },
      ],
      cwd: "/",
      net: "none",
      filterFile: filter?.path,
    });
    const { stdout, stderr } = new Deno.Command(file, { args }).outputSync();
    const decoder = new TextDecoder();
    if (decoder.decode(stdout) === "inside\n") return undefined;
    const [words] = decoder.decode(stderr).trim().split("\n");
    return `bubblewrap cannot start here: ${words || "it says nothing"}`;
  } finally {
    filter?.remove();
  }
}

function whyNoPip(): string | undefined {
  const python = missing("python");
  if (python !== undefined) return python;
  const { success } = new Deno.Command("python3", {
    args: ["-m", "pip", "--version"],
    stdout: "null",
    stderr: "null",
  }).outputSync();
  return success ? undefined : "pip is not installed: apt install python3-pip";
}

function searchPath(): string {
  return Deno.env.get("PATH") ?? "";
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

function isExecutable(path: string): boolean {
  try {
    const { isFile, mode } = Deno.statSync(path);
    return isFile && ((mode ?? 0) & 0o111) !== 0;
  } catch {
    return false;
  }
}

function hasAddress(wanted: string): boolean {
  return Deno.networkInterfaces().some(({ address }) => address === wanted);
}

/** An address of this machine that is not the loopback one: what is sent there leaves nothing. */
export function otherAddress(): string | undefined {
  return Deno.networkInterfaces().find(({ family, address }) =>
    family === "IPv4" && !address.startsWith("127.")
  )?.address;
}
