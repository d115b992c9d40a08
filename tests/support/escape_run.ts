import type {
  RunResult,
  SandboxReport,
} from "../../src/protocol/result_schema.ts";
import {
  type Act,
  actsOf,
  CANARIES,
  type Canary,
  type Goal,
  type Listener,
  type Row,
} from "../escape/attack.ts";
import {
  type EscapePlace,
  lookOf,
  makeEscapePlace,
  runSync,
} from "./escape_place.ts";
import type { RingSetting } from "./escape_rings.ts";
import { killAll } from "./processes.ts";
import {
  call,
  type RecordedRequest,
  type Reply,
  say,
  startProviderDouble,
} from "./provider_double.ts";
import { lastRecord, runTau, type TauOptions, withTau } from "./tau_process.ts";

/** How rows are run: in the product itself, unless rings are named. */
export interface EscapeOptions {
  setting?: RingSetting;
  /** The folder of changed modules for the kernel. */
  source?: string | undefined;
  /** Default: all that the table needs. */
  tools?: string;
}

/** What came of an attempt. */
export interface Verdict {
  row: Row;
  escaped: boolean;
  /** What the model was told. */
  result: string;
}

/** What came of a run full of attempts. */
export interface EscapeRun {
  verdicts: Verdict[];
  record: RunResult;
  stderr: string;
  /** Processes that were alive afterwards. */
  left: number[];
  /** The folder in which it ran. */
  ws: string;
  /** The secret texts that stand in anything that was printed or stored. */
  told: Canary[];
}

/** How long a listener may take to notice who came. */
const NOTICE_MS = 25;

const TOOLS = "read,bash,edit,write,grep,find,ls,run_code,run_child";
const MAIN = new URL("./escape_main.ts", import.meta.url).pathname;

/** Rows of one run: a longer conversation takes longer than a second run. */
const ROWS_OF_RUN = 80;
/** Runs at the same time. */
const RUNS_AT_ONCE = 2;

/** Plays rows in as many runs as it takes. */
export async function runAllAttacks(
  rows: readonly Row[],
  options: EscapeOptions = {},
): Promise<EscapeRun[]> {
  const runs: EscapeRun[] = [];
  const count = Math.ceil(rows.length / ROWS_OF_RUN);
  const left = Array.from(
    { length: count },
    (_, i) => rows.slice(i * ROWS_OF_RUN, (i + 1) * ROWS_OF_RUN),
  );
  const work = async () => {
    for (let some = left.shift(); some; some = left.shift()) {
      runs.push(await runAttacks(some, options));
    }
  };
  await Promise.all(Array.from({ length: RUNS_AT_ONCE }, work));
  return runs;
}

/** Plays rows one after the other in one run, in a place of its own, and says what each of them got. */
export async function runAttacks(
  rows: readonly Row[],
  options: EscapeOptions = {},
): Promise<EscapeRun> {
  await using place = await makeEscapePlace();
  const trial = new Trial(place);
  await using double = startProviderDouble({
    api: "openai-completions",
    script: trial.script(rows),
  });
  const { names } = place;
  const run = await runTau(
    argumentsIn(place, options),
    programIn(place, { ...options, url: double.url }),
  );
  const { stdout, stderr, left } = run;
  if (stdout === "") throw new Error(stderr);
  const record = lastRecord(run);
  const fault = double.requests.find((one) => one.fault)?.fault;
  if (fault) throw new Error(`${fault}\n${stderr}`);
  const { file } = record.session;
  const stored = file === undefined ? "" : await Deno.readTextFile(file);
  return {
    verdicts: await trial.finish(),
    record,
    stderr,
    left,
    ws: names.ws as string,
    told: CANARIES.filter((name) =>
      `${stdout}${stderr}${stored}`.includes(place.canaries[name])
    ),
  };
}

/** Runs the program with some of its rings, and a model that makes one call. */
export async function runBesideRings(
  args: string[],
  options: EscapeOptions,
): Promise<{ sandbox: SandboxReport; stderr: string }> {
  await using place = await makeEscapePlace();
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [say("", call("bash", { command: "true" })), say("done")],
  });
  const program = programIn(place, { ...options, url: double.url });
  const { stdout, stderr } = await runTau(args, program);
  const { sandbox } = JSON.parse(stdout);
  return { sandbox, stderr };
}

/** Signals the program while an act goes on, once it has printed something on stderr. */
export async function stopInAttack(
  act: Act,
  { printed, signal }: { printed: RegExp; signal: Deno.Signal },
): Promise<{ code: number; record: RunResult; left: number[] }> {
  await using place = await makeEscapePlace();
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [say("", call(act.tool, act.arguments))],
  });
  const program = programIn(place, { url: double.url });
  return await withTau(argumentsIn(place), program, async (tau) => {
    await tau.printed(printed, "stderr");
    tau.signal(signal);
    const run = await tau.ended();
    return { code: run.code, record: lastRecord(run), left: run.left };
  });
}

function argumentsIn(
  { names }: EscapePlace,
  { tools = TOOLS }: EscapeOptions = {},
): string[] {
  return [
    ...["-p", "--output-format", "json", "--max-retries", "0"],
    ...["--allow-read", `${names.home}`],
    ...["--plugin", `${names.home}/plugin/attack.js`, "-t", tools, "go"],
  ];
}

function programIn(
  { names, env }: EscapePlace,
  { setting, source, url }: EscapeOptions & { url: string },
): TauOptions {
  return {
    cwd: names.ws as string,
    env: {
      ...env,
      TAU_HOME: `${names.home}/.tau`,
      OPENAI_BASE_URL: url,
      ...(setting ? { TAU_TEST_RINGS: JSON.stringify(setting) } : {}),
      ...(source === undefined
        ? {}
        : { TAU_TEST_CONFIG: `file://${source}/deno.json` }),
    },
    maxLifeMs: 120_000,
    ...(setting ? { main: MAIN } : {}),
  };
}

/** Prepares each attempt and looks what came of it. */
class Trial {
  readonly #place: EscapePlace;
  readonly #verdicts: Verdict[] = [];
  /** What is looked at when the run is over. */
  readonly #lasting: (() => Promise<void>)[] = [];

  constructor(place: EscapePlace) {
    this.#place = place;
  }

  script(
    rows: readonly Row[],
  ): ((request: RecordedRequest) => Promise<Reply>)[] {
    let settle: (result: string) => Promise<void> = async () => {};
    let results: string[] = [];
    const settled = async () => {
      await settle(results.join("\n"));
      results = [];
    };
    const steps = rows.flatMap((row) =>
      actsOf(row).map((act, i) => ({ act, row, isFirst: i === 0 }))
    );
    const replies = steps.map(({ act, row, isFirst }, place) => {
      return async (request: RecordedRequest) => {
        if (place > 0) results.push(resultIn(request));
        if (isFirst) {
          await settled();
          settle = this.#begin(row);
        }
        return say("", this.#call(act));
      };
    });
    return [...replies, async (request) => {
      results.push(resultIn(request));
      await settled();
      return say("done");
    }];
  }

  async finish(): Promise<Verdict[]> {
    for (const look of this.#lasting) await look();
    return this.#verdicts;
  }

  #call({ tool, arguments: args }: Act): ReturnType<typeof call> {
    return call(tool, JSON.parse(this.#filled(JSON.stringify(args))));
  }

  #filled(text: string): string {
    return text.replace(
      /\{(\w+)\}/g,
      (whole, name) => this.#place.names[name] ?? whole,
    );
  }

  /** Makes the attempt possible; what is returned judges it. */
  #begin(row: Row): (result: string) => Promise<void> {
    const { attack } = row;
    this.#place.ensureVictim();
    const look = this.#watch(attack.wants);
    if (attack.setUp !== undefined) {
      const { ws, home } = this.#place.names as { ws: string; home: string };
      runSync(this.#filled(attack.setUp), ws, { HOME: home });
    }
    const seen = look();
    return async (result) => {
      const verdict = { row, result, escaped: false };
      this.#verdicts.push(verdict);
      if ("outlives" in attack.wants) {
        const nap = this.#place.names.nap as string;
        this.#lasting.push(async () => {
          verdict.escaped = await endAnyWith(nap);
        });
        return;
      }
      verdict.escaped = await seen(result);
    };
  }

  /** First called before the set-up, then before the attempt, then after it. */
  #watch(wants: Goal): () => (result: string) => Promise<boolean> {
    const { canaries, names } = this.#place;
    if ("reads" in wants) {
      const canary = canaries[wants.reads];
      return () => (result) => Promise.resolve(result.includes(canary));
    }
    if ("does" in wants) {
      return () => (result) => Promise.resolve(/\bESCAPED\b/.test(result));
    }
    if ("changes" in wants) {
      const path = this.#filled(wants.changes);
      this.#place.restore(path);
      return () => {
        const before = lookOf(path);
        return () => Promise.resolve(lookOf(path) !== before);
      };
    }
    if ("kills" in wants) {
      return () => () => Promise.resolve(!this.#place.isVictimAlive());
    }
    if ("outlives" in wants) {
      names.nap = `3600.${1 + Math.floor(1e9 * Math.random())}`;
      return () => () => Promise.resolve(false);
    }
    return () => this.#reached(wants.reaches);
  }

  #reached(listener: Listener): () => Promise<boolean> {
    const { reached } = this.#place;
    const before = reached[listener];
    return async () => {
      const endMs = performance.now() + NOTICE_MS;
      while (reached[listener] === before && performance.now() < endMs) {
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      return reached[listener] > before;
    };
  }
}

/** What the model was told of its last call. */
function resultIn({ text }: RecordedRequest): string {
  return String(JSON.parse(text).messages.at(-1).content);
}

/** Whether a process has this word in its command line; ends it. */
async function endAnyWith(word: string): Promise<boolean> {
  const pids: number[] = [];
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const line = await Deno.readTextFile(`/proc/${name}/cmdline`)
      .catch(() => "");
    if (line.split("\0").includes(word)) pids.push(Number(name));
  }
  killAll(pids);
  return pids.length > 0;
}
