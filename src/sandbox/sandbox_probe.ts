import { bubblewrapCommand } from "./bubblewrap.ts";

/** A sandbox that takes longer to start is none that anybody would wait for. */
const LIMIT_MS = 5000;
/** How much of bubblewrap's own words is told. */
const MAX_REASON = 300;
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
    const output = child.output();
    const ended = await Promise.race([output, late.promise]);
    if (!ended) {
      // What it has started may hold the pipes open for as long as it likes.
      output.catch(() => {});
      child.unref();
      child.kill("SIGKILL");
      throw new Error(`no sandbox within ${limitMs / 1000} s`);
    }
    const { success, stdout, stderr } = ended;
    if (!success) return `${bubblewrap} failed: ${firstLine(stderr)}`;
    const inside = new TextDecoder().decode(stdout).trim().split("\n");
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

function firstLine(bytes: Uint8Array): string {
  const [line = ""] = new TextDecoder().decode(bytes).trim().split("\n");
  return line === "" ? "it said nothing" : line.slice(0, MAX_REASON);
}
