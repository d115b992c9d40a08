import { PathRefusedError } from "../operations/file_operations.ts";
import type { FileSystemCalls } from "../operations/guarded_paths.ts";
import { createLocalFileOperations } from "../operations/local_file_operations.ts";
import type { PathPolicy } from "../policy/path_policy.ts";
import type { ProbeTargets } from "../protocol/kernel_messages.ts";
import type {
  ProbeOutcome,
  ProbeReport,
  RingProbes,
} from "../protocol/result_schema.ts";

/** A shell that hangs has not said what it could do. */
const LIMIT_MS = 2000;

/** Each line that it prints is something that was not refused. */
const SCRIPT = `
: 2>/dev/null <"$1" && echo read
: 2>/dev/null >"$2" && echo write
: 2>/dev/null <>"/dev/tcp/127.0.0.1/$3" && echo connect
echo end`;

/**
 * Tries what the run must not do, once in each ring and around the others: the
 * file tools with nothing beneath them, this process's own permissions, and a
 * command as tools start them. It changes nothing but files of `targets`.
 */
export async function probeRings(
  targets: ProbeTargets,
  { policy, environment }: {
    policy: PathPolicy;
    environment: Record<string, string>;
  },
): Promise<ProbeReport> {
  const [operations, deno, system] = await Promise.all([
    probeOperations(targets, policy),
    probeDeno(targets),
    probeSystem(targets, environment),
  ]);
  return { operations, deno, system };
}

async function probeOperations(
  { file, target }: ProbeTargets,
  policy: PathPolicy,
): Promise<RingProbes> {
  // Whatever they would do to a file that they take for allowed is an end.
  const reached = () => {
    throw new ReachedError();
  };
  const calls = new Proxy({} as FileSystemCalls, {
    get: (_, name) =>
      name === "realPath" ? (path: string) => Promise.resolve(path) : reached,
  });
  const operations = createLocalFileOperations({ policy, calls });
  const { openFile, writeFile } = operations;
  return {
    read: await outcomeOf(file, openFile, PathRefusedError),
    write: await outcomeOf(
      target,
      (path) => writeFile(path, new Uint8Array()),
      PathRefusedError,
    ),
    connect: "not tried",
  };
}

class ReachedError extends Error {}

async function probeDeno(
  { file, target, port }: ProbeTargets,
): Promise<RingProbes> {
  const { NotCapable } = Deno.errors;
  return {
    read: await outcomeOf(file, async (path) => {
      (await Deno.open(path)).close();
    }, NotCapable),
    write: await outcomeOf(target, async (path) => {
      (await Deno.open(path, { write: true, create: true })).close();
    }, NotCapable),
    connect: await outcomeOf(port, async (port) => {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    }, NotCapable),
  };
}

/** A ring that let something pass is open, whatever stopped it further on. */
async function outcomeOf<Target>(
  target: Target | undefined,
  attempt: (target: Target) => Promise<unknown>,
  Refusal: new (message: string) => Error,
): Promise<ProbeOutcome> {
  if (target === undefined) return "not tried";
  try {
    await attempt(target);
  } catch (error) {
    if (error instanceof Refusal) return "held";
  }
  return "open";
}

async function probeSystem(
  { file, target, port }: ProbeTargets,
  environment: Record<string, string>,
): Promise<RingProbes> {
  const printed = await printedBy(
    ["-c", SCRIPT, "bash", file ?? "/", target ?? "/", String(port ?? 0)],
    environment,
  );
  const outcome = (name: string, wasTried: boolean): ProbeOutcome =>
    !wasTried || !printed.includes("end")
      ? "not tried"
      : printed.includes(name)
      ? "open"
      : "held";
  return {
    read: outcome("read", file !== undefined),
    write: outcome("write", target !== undefined),
    connect: outcome("connect", port !== undefined),
  };
}

async function printedBy(
  args: string[],
  env: Record<string, string>,
): Promise<string[]> {
  try {
    const { stdout } = await new Deno.Command("bash", {
      args,
      env,
      clearEnv: true,
      stdin: "null",
      stderr: "null",
      signal: AbortSignal.timeout(LIMIT_MS),
    }).output();
    return new TextDecoder().decode(stdout).split("\n");
  } catch {
    // There is no bash, or nothing may be started: then commands do nothing either.
    return [];
  }
}
