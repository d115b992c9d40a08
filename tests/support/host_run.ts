import { homedir } from "node:os";
import type { KernelProgram } from "../../src/host/kernel_program.ts";
import { startRun } from "../../src/host/run.ts";
import type { RunOptions } from "../../src/host/run_options.ts";
import { emptyUsage } from "../../src/model/message.ts";
import type { AssistantDelta, DeltaSource } from "../../src/model/stream.ts";
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
        ...(kernel === undefined || kernel === "puppet"
          ? {}
          : { bringsTools: true }),
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

/** Runs a kernel that does what `steps` say while a call is open; `start` before it says that it is there. */
export async function runPuppet(
  steps: PuppetStep[],
  { start, answers = [], ...options }: Omit<HostRunOptions, "kernel"> & {
    start?: PuppetStep[];
    /** Answers of the model behind the one that makes the call. Default: `ended`. */
    answers?: string[];
  },
): Promise<HostRun> {
  if (start) {
    const script = JSON.stringify({ start });
    await Deno.writeTextFile(`${options.cwd}/puppet.json`, script);
  }
  const command = JSON.stringify({ call: steps });
  return await runInHost({
    env: { OPENAI_API_KEY: "test-key" },
    model: "openai/gpt-4o",
    source: callingSource(command, answers),
    ...options,
    kernel: "puppet",
  });
}

/** A model that calls bash once, and then says what it is to say. */
function callingSource(command: string, answers: string[]): DeltaSource {
  let asked = 0;
  return async function* (): AsyncGenerator<AssistantDelta[]> {
    const n = asked++;
    await undefined;
    if (n === 0) {
      yield [
        { type: "start" },
        { type: "toolcall_start", contentIndex: 0, id: "c1", toolName: "bash" },
        {
          type: "toolcall_delta",
          contentIndex: 0,
          delta: JSON.stringify({ command }),
        },
        { type: "toolcall_end", contentIndex: 0 },
        { type: "done", reason: "toolUse", usage: emptyUsage() },
      ];
    } else {
      yield [
        { type: "start" },
        { type: "text_start", contentIndex: 0 },
        {
          type: "text_delta",
          contentIndex: 0,
          delta: answers[n - 1] ?? answers.at(-1) ?? "ended",
        },
        { type: "text_end", contentIndex: 0 },
        { type: "done", reason: "stop", usage: emptyUsage() },
      ];
    }
  };
}

/** The text of the result of the call, as the model read it. */
export function resultOf({ events }: HostRun): string {
  const end = events.find((event) => event.type === "tool_execution_end");
  return end?.type === "tool_execution_end"
    ? end.result.content.map((block) => "text" in block ? block.text : "")
      .join("")
    : "";
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
