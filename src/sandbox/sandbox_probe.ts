import { bubblewrapCommand } from "./bubblewrap.ts";

/** A sandbox that takes longer to start is none that anybody would wait for. */
const LIMIT_MS = 5000;
/** Characters of bubblewrap's own words that are told. */
const MAX_REASON = 300;
/** Characters of its output that are kept. */
const MAX_SAID = 64 * 1024;
const NAMESPACES = ["pid", "net", "mnt"];

/**
 * Starts a sandbox and looks whether it is one: a program that only passes for
 * bubblewrap leaves its child in the namespaces of this process. Resolves with
 * why there is none, or with nothing where all is well.
 */
export async function probeSandbox(
  { bubblewrap, filterFile, limitMs = LIMIT_MS }: {
    bubblewrap: string;
    filterFile: string | undefined;
    /** Default: five seconds. */
    limitMs?: number;
  },
): Promise<string | undefined> {
  const places = NAMESPACES.map((name) => `/proc/self/ns/${name}`);
  const command = ["/usr/bin/env", "readlink", ...places];
  const [program = "", ...args] = bubblewrapCommand(command, {
    bubblewrap,
    mounts: [
      { path: "/", kind: "read-only" },
      { path: "/proc", kind: "processes" },
      { path: "/dev", kind: "devices" },
    ],
    cwd: "/",
    net: "none",
    filterFile,
  });
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, limitMs);
  try {
    const child = new Deno.Command(program, {
      args,
      clearEnv: true,
      cwd: "/",
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const stdout = child.stdout.getReader();
    const stderr = child.stderr.getReader();
    const ended = await Promise.race([
      Promise.all([child.status, headOf(stdout), headOf(stderr)]),
      late.promise,
    ]);
    if (!ended) {
      kill(child);
      // What it has started may hold the pipes open for as long as it likes.
      await Promise.all([stdout.cancel(), stderr.cancel(), child.status]);
      throw new Error(`no sandbox within ${limitMs / 1000} s`);
    }
    const [{ success }, said, words] = ended;
    if (!success) return `${bubblewrap} failed: ${firstLine(words)}`;
    const inside = said.trim().split("\n");
    const isApart = inside.length === places.length &&
      places.every((place, i) => Deno.readLinkSync(place) !== inside[i]);
    return isApart ? undefined : `${bubblewrap} confines nothing`;
  } catch (error) {
    return `${bubblewrap} failed: ${
      error instanceof Error ? error.message : String(error)
    }`;
  } finally {
    clearTimeout(timer);
  }
}

/** The beginning of what is said; the rest is read and forgotten. */
async function headOf(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  while (true) {
    const { value, done } = await reader.read();
    if (done) return text;
    if (text.length < MAX_SAID) text += decoder.decode(value, { stream: true });
  }
}

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    // It is dead already, and something else holds its pipes.
    if (!(error instanceof TypeError)) throw error;
  }
}

function firstLine(text: string): string {
  const [line = ""] = text.trim().split("\n");
  return line === "" ? "it said nothing" : line.slice(0, MAX_REASON);
}
