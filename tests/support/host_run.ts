import { homedir } from "node:os";
import type { KernelProgram } from "../../src/host/kernel_process.ts";
import {
  type RunOptions,
  startRun,
  type StopReason,
} from "../../src/host/run.ts";
import type { RunEvent } from "../../src/protocol/event_schemas.ts";
import type { RunResult } from "../../src/protocol/result_schema.ts";
import type { SessionHeader } from "../../src/session/session_entry.ts";
import type { PuppetStep } from "./kernels/puppet.ts";
import { killAll, processesWith } from "./processes.ts";

/** All that a run told. */
export interface HostRun {
  result: RunResult;
  events: (SessionHeader | RunEvent)[];
  /** Lines for stderr. */
  log: string[];
  /** Processes of the run that were alive when it had ended. */
  left: number[];
}

/** Options of {@linkcode runInHost}, beside those of a run. */
export interface HostRunOptions extends Partial<Omit<RunOptions, "kernel">> {
  cwd: string;
  /** `tests/support/kernels/<name>.ts`. Default: the kernel of the product. */
  kernel?: string;
  /** Switches a ring off. */
  alterLaunch?: KernelProgram["alterLaunch"];
  /** Hears events as the run's listener does. */
  onEvent?(event: SessionHeader | RunEvent): void | Promise<void>;
  onLog?(line: string): void;
  stop?: AbortController;
}

/** An allowed variable that marks the processes of one test for whoever looks. */
export const TRACE = "GOPATH";

/** Runs `startRun` in this process. */
export async function runInHost(
  { kernel, alterLaunch, onEvent, onLog, stop, ...options }: HostRunOptions,
): Promise<HostRun> {
  const events: (SessionHeader | RunEvent)[] = [];
  const log: string[] = [];
  const env = { ...childEnvironment(), ...options.env };
  const trace = env[TRACE] ??= crypto.randomUUID();
  try {
    const result = await startRun({
      prompt: "hello",
      updates: false,
      ...options,
      env,
      kernel: {
        entry: kernel === undefined
          ? new URL("../../src/kernel/main.ts", import.meta.url)
          : new URL(`./kernels/${kernel}.ts`, import.meta.url),
        config: new URL("../../deno.json", import.meta.url),
        ...(alterLaunch ? { alterLaunch } : {}),
      },
    }, {
      emit(event) {
        events.push(event);
        return onEvent?.(event);
      },
      log(line) {
        log.push(line);
        onLog?.(line);
      },
      stop: (stop ?? new AbortController()).signal,
    });
    return { result, events, log, left: await processesWith(TRACE, trace) };
  } finally {
    killAll(await processesWith(TRACE, trace));
  }
}

/** Runs a kernel that does what `steps` say. */
export function runPuppet(
  steps: PuppetStep[],
  options: Omit<HostRunOptions, "kernel" | "prompt">,
): Promise<HostRun> {
  return runInHost({
    env: { OPENAI_API_KEY: "test-key" },
    ...options,
    kernel: "puppet",
    prompt: JSON.stringify(steps),
  });
}

/** Stops a run as a signal does. */
export function stopBy(stop: AbortController, reason: StopReason): void {
  stop.abort(reason);
}

/** What a child of a test needs of this process's environment. */
export function childEnvironment(): Record<string, string> {
  const names = "PATH HOME DENO_DIR XDG_CACHE_HOME TMPDIR LANG".split(" ");
  const values = names.map((name) => [name, Deno.env.get(name)] as const);
  return Object.fromEntries(
    values.filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Where Deno keeps packages, for a child with another home than this process. */
export function denoDir(): string {
  return Deno.env.get("DENO_DIR") ||
    `${Deno.env.get("XDG_CACHE_HOME") || `${homedir()}/.cache`}/deno`;
}
