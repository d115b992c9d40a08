import type { RunResult } from "../../src/protocol/result_schema.ts";
import { call, say, startProviderDouble } from "./provider_double.ts";
import { lastRecord, runTau, type TauOptions } from "./tau_process.ts";

/** A run whose model called bash. */
export interface BashRun {
  /** The results of the commands as the model read them. */
  results: string[];
  record: RunResult;
  stderr: string;
  left: number[];
  tempLeft: string[];
}

/** Runs tau with a model that calls bash with one command after the other. */
export async function runBash(
  commands: readonly string[],
  { args = [], env, ...options }: TauOptions & { args?: string[] } = {},
): Promise<BashRun> {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [
      ...commands.map((command) => say("", call("bash", { command }))),
      say("done"),
    ],
  });
  const run = await runTau(["-p", "--output-format", "json", ...args, "go"], {
    ...options,
    env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: double.url, ...env },
  });
  const results = double.requests.slice(1).map(({ text }) =>
    String(JSON.parse(text).messages.at(-1).content)
  );
  const { stderr, left, tempLeft } = run;
  return { results, record: lastRecord(run), stderr, left, tempLeft };
}
