import assert from "node:assert/strict";
import { createLocalFileOperations } from "../../src/operations/local_file_operations.ts";
import type { JsonObject } from "../../src/model/content.ts";
import { atOnce } from "../support/at_once.ts";
import { asked, recordingOf, resulted, said } from "../support/recording.ts";
import { killAll } from "../support/processes.ts";
import { type TauProcess, withTau } from "../support/tau_process.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const MOMENTS = 300;

/** Runs at a time; more would only wait for each other. */
const LANES = 3;

const NEW_LINE = "a line that is new\n";

const HOUR_MS = 60 * 60 * 1000;

/** A file that the recorded model changes. */
interface Target {
  name: string;
  /** Undefined when the file is new. */
  old: string | undefined;
  changed: string;
  tool: "write" | "edit";
}

const TARGETS: Target[] = [
  edited("a.txt", 4_000_000),
  edited("b.txt", 20_000),
  edited("c.txt", 8_000_000),
  edited("d.txt", 1_000_000),
  written("e.txt", { old: 100_000, size: 300_000 }),
  written("new.txt", { old: undefined, size: 1_000_000 }),
];

Deno.test("write and edit leave the old or the new bytes at whatever moment tau is killed", async () => {
  const seed = Number(Deno.env.get("TAU_SLOW_SEED") ?? Date.now() % 1e9);
  const random = randomFrom(seed);
  const left = { old: 0, new: 0, temp: 0 };
  await inTempFolder(async (template) => {
    await prepare(template);
    // The first run also fills caches, so it is not one to go by.
    await runToEnd(template);
    const durationsMs = await runToEnd(template);
    const moments = Array.from({ length: MOMENTS }, () => {
      const target = Math.floor(random() * TARGETS.length);
      const afterMs = random() * 1.2 * (durationsMs[target] ?? 0);
      return { target, afterMs };
    }).values();
    const lane = async () => {
      for (const moment of moments) {
        const where = `seed ${seed}, ${JSON.stringify(moment)}`;
        const outcome = await runAndKill(template, { ...moment, where });
        left.old += outcome.old;
        left.new += outcome.new;
        left.temp += outcome.temp;
      }
    };
    await atOnce(Array(LANES).fill(undefined), lane);
  });
  // Many moments lie within a write, not before or behind it.
  assert.ok(
    left.temp > MOMENTS / 20,
    `seed ${seed}: ${JSON.stringify(left)}`,
  );
});

/** Resolves to the time that each change took in a run that nobody disturbed. */
async function runToEnd(template: string): Promise<number[]> {
  const durationsMs: number[] = [];
  await inCopyOf(template, async (folder) => {
    await withHeldTau(template, folder, async (tau, release) => {
      await release();
      for (const target of TARGETS.keys()) {
        await tau.printed(callEvent("start", target));
        const startMs = performance.now();
        await tau.printed(callEvent("end", target));
        durationsMs.push(performance.now() - startMs);
      }
      const { code, stdout } = await tau.ended();
      assert.equal(code, 0, stdout.slice(-1000));
    });
    const found = await look(folder, "undisturbed");
    assert.deepEqual(found, { old: 0, new: TARGETS.length, temp: 0 });
  });
  return durationsMs;
}

/** Kills a run and looks at what it left; the next write tidies up. */
async function runAndKill(
  template: string,
  { target, afterMs, where }: {
    target: number;
    afterMs: number;
    where: string;
  },
): Promise<Left> {
  let found: Left | undefined;
  await inCopyOf(template, async (folder) => {
    await withHeldTau(template, folder, async (tau, release) => {
      const pids = await tau.processes();
      await release();
      await tau.printed(callEvent("start", target));
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      killAll(pids);
      await tau.ended();
    });
    found = await look(folder, where);
    await tidyByNextWrite(folder);
    const { temp } = await look(folder, where);
    assert.equal(temp, 0, `leftovers stayed, ${where}`);
  });
  return found as Left;
}

/** Files that hold the old and the new bytes, and temporary ones. */
interface Left {
  old: number;
  new: number;
  temp: number;
}

async function look(folder: string, where: string): Promise<Left> {
  const left: Left = { old: 0, new: 0, temp: 0 };
  for (const { name, old, changed } of TARGETS) {
    const path = `${folder}/${name}`;
    const now = await Deno.readTextFile(path).catch(() => undefined);
    if (now === changed) left.new++;
    else if (now === old) left.old++;
    else assert.fail(`${name} holds ${now?.length} other characters, ${where}`);
  }
  for await (const { name } of Deno.readDir(folder)) {
    if (name.startsWith(".tau-")) left.temp++;
    else assert.ok(name === "go" || TARGETS.some((it) => it.name === name));
  }
  return left;
}

/** A later run writes to the folder, when what is left there is old. */
async function tidyByNextWrite(folder: string): Promise<void> {
  const old = new Date(Date.now() - 2 * HOUR_MS);
  for await (const { name } of Deno.readDir(folder)) {
    if (name.startsWith(".tau-")) {
      await Deno.utime(`${folder}/${name}`, old, old);
    }
  }
  const [{ name, changed } = assert.fail()] = TARGETS;
  await createLocalFileOperations().writeFile(
    `${folder}/${name}`,
    new TextEncoder().encode(changed),
  );
}

/** Lends a run that waits until it is released, right before its first change. */
function withHeldTau(
  template: string,
  folder: string,
  use: (tau: TauProcess, release: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const args = ["--replay", `${template}/recording.jsonl`, "-C", folder, "go"];
  return withTau(
    ["--output-format", "stream-json", ...args],
    {},
    async (tau) => {
      await tau.printed(/"tool_execution_start"/);
      await use(tau, () => Deno.writeTextFile(`${folder}/go`, "\n"));
    },
  );
}

/** What is printed when the call of a target starts or ends. */
function callEvent(what: "start" | "end", target: number): RegExp {
  return new RegExp(
    `"tool_execution_${what}","toolCallId":"call_${target + 1}"`,
  );
}

async function prepare(template: string): Promise<void> {
  for (const { name, old } of TARGETS) {
    if (old !== undefined) await Deno.writeTextFile(`${template}/${name}`, old);
  }
  const calls: RecordedCall[] = [
    { name: "bash", args: { command: "cat go" }, result: "\n" },
    ...TARGETS.map(callOf),
  ];
  let request: unknown = asked("go");
  const exchanges = calls.map(({ name, args, result }, n) => {
    const id = `call_${n}`;
    const exchange = {
      request: [request],
      content: [{ type: "toolCall" as const, id, name, arguments: args }],
    };
    request = resulted(name, result);
    return exchange;
  });
  await Deno.writeTextFile(
    `${template}/recording.jsonl`,
    recordingOf(...exchanges, { request: [request], content: [said("Done.")] }),
  );
}

/** A call of the recorded model, and what the tool says to it. */
interface RecordedCall {
  name: string;
  args: JsonObject;
  result: string;
}

function callOf({ name: path, tool, changed }: Target): RecordedCall {
  if (tool === "write") {
    const args = { path, content: changed };
    return { name: tool, args, result: `Successfully wrote to ${path}` };
  }
  return {
    name: tool,
    args: { path, edits: [{ oldText: "line 7\n", newText: NEW_LINE }] },
    result: `Successfully replaced 1 block(s) in ${path}.`,
  };
}

async function inCopyOf(
  template: string,
  test: (folder: string) => Promise<void>,
): Promise<void> {
  await inTempFolder(async (folder) => {
    for (const { name, old } of TARGETS) {
      if (old === undefined) continue;
      await Deno.copyFile(`${template}/${name}`, `${folder}/${name}`);
    }
    const args = [`${folder}/go`];
    await new Deno.Command("mkfifo", { args }).output();
    await test(folder);
  });
}

function edited(name: string, size: number): Target {
  const old = linesOf("line", size);
  const changed = old.replace("line 7\n", NEW_LINE);
  return { name, old, changed, tool: "edit" };
}

function written(
  name: string,
  { old, size }: { old: number | undefined; size: number },
): Target {
  return {
    name,
    old: old === undefined ? undefined : linesOf("before", old),
    changed: linesOf("after", size),
    tool: "write",
  };
}

function linesOf(word: string, size: number): string {
  const lines: string[] = [];
  for (let length = 0; length < size;) {
    const line = `${word} ${lines.length}\n`;
    length += line.length;
    lines.push(line);
  }
  return lines.join("");
}

/** Numbers from 0 to 1, the same ones for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
