import type { AgentTool } from "../../src/agent/agent_tool.ts";
import type { JsonObject } from "../../src/model/content.ts";
import {
  createBashTool,
  createEditTool,
  createFindTool,
  createGrepTool,
  createLsTool,
  createReadTool,
} from "../../src/tools/factories.ts";
import { leastOf } from "./child.ts";

// Prints what each built-in tool takes, beside a program that does the same
// work in the same folder, where there is one. Those start a process; tools
// run in this one, as in the product.

const RUNS = 5;
const FILES = 50_000;
const FILES_A_FOLDER = 500;

/** A measurement, in a folder of its own. */
interface Section {
  name: string;
  tool: (cwd: string) => AgentTool;
  params: JsonObject;
  /** A program with its arguments that does the same. */
  beside: string[];
  /** Run before each measurement. */
  prepare?: (cwd: string) => Promise<void>;
}

const LINES = Array.from(
  { length: 100_000 },
  (_, n) => `line ${n} with some more text, as code has\n`,
);

const EDITED = Array.from({ length: 50 }, (_, n) => n * 2000);

const SECTIONS: Section[] = [
  {
    name: "edit, 50 edits of 4.4 MB",
    tool: createEditTool,
    params: {
      path: "big.txt",
      edits: EDITED.map((n) => ({
        oldText: LINES[n] ?? "",
        newText: `a new line ${n}\n`,
      })),
    },
    beside: [
      ...["sed", "-i"],
      ...EDITED.flatMap((n) => ["-e", `s/^line ${n} .*/a new line ${n}/`]),
      "big.txt",
    ],
    prepare: (cwd) => Deno.writeTextFile(`${cwd}/big.txt`, LINES.join("")),
  },
  {
    name: "read, 100 lines in the middle",
    tool: createReadTool,
    params: { path: "read.txt", offset: 50_001, limit: 100 },
    beside: ["sed", "-n", "50001,50100p", "read.txt"],
  },
  {
    name: "read, a small file",
    tool: createReadTool,
    params: { path: "0/0.ts" },
    beside: ["cat", "0/0.ts"],
  },
  {
    name: "find, 50,000 files",
    tool: createFindTool,
    params: { pattern: "*.md" },
    beside: ["rg", "--files", "--sort", "path", "-g", "*.md"],
  },
  {
    name: "grep, 50,000 files",
    tool: createGrepTool,
    params: { pattern: "need[a-z]+ 7\\b" },
    beside: ["rg", "-n", "--sort", "path", "need[a-z]+ 7\\b"],
  },
  {
    name: "ls, 50,000 files",
    tool: createLsTool,
    params: { path: "flat", limit: FILES },
    beside: ["ls", "-p", "flat"],
  },
  {
    name: "bash, true",
    tool: createBashTool,
    params: { command: "true" },
    beside: ["bash", "-c", "true"],
  },
];

const cwd = await Deno.makeTempDir({ prefix: "tau-bench-" });
try {
  await fill(cwd);
  for (const section of SECTIONS) await measure(section, cwd);
} finally {
  await Deno.remove(cwd, { recursive: true });
}

async function measure(section: Section, cwd: string): Promise<void> {
  const { name, params, beside, prepare } = section;
  const tool = section.tool(cwd);
  const besideMs: number[] = [];
  const toolMs = await leastOf(RUNS, async () => {
    await prepare?.(cwd);
    besideMs.push(await durationOf(() => runProgram(beside, cwd)));
    await prepare?.(cwd);
    return await durationOf(() => tool.execute("call", params));
  });
  const otherMs = Math.min(...besideMs);
  const [program] = beside;
  const ratio = Number.isFinite(otherMs)
    ? `${(toolMs / otherMs).toFixed(2)} times ${program} (${
      otherMs.toFixed(1)
    } ms)`
    : `${program} is not installed`;
  print(`  ${name.padEnd(30)} ${toolMs.toFixed(1)} ms, ${ratio}`);
}

/** Milliseconds; infinite when the work could not be done. */
async function durationOf(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  return await work() === undefined ? Infinity : performance.now() - startMs;
}

/** Resolves to what a program printed; undefined where it is not installed. */
async function runProgram(
  [program = "", ...args]: string[],
  cwd: string,
): Promise<Uint8Array | undefined> {
  try {
    const { stdout } = await new Deno.Command(program, {
      args,
      cwd,
      stdin: "null",
    })
      .output();
    return stdout;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function fill(cwd: string): Promise<void> {
  await Deno.writeTextFile(`${cwd}/read.txt`, LINES.join(""));
  await Deno.mkdir(`${cwd}/flat`);
  // Find and grep pass over the folder of ls and the big files.
  await Deno.writeTextFile(`${cwd}/.ignore`, "/flat\n/*.txt\n");
  for (let n = 0; n < FILES; n++) {
    const folder = `${cwd}/${Math.floor(n / FILES_A_FOLDER)}`;
    if (n % FILES_A_FOLDER === 0) await Deno.mkdir(folder);
    const extension = n % 100 === 0 ? "md" : "ts";
    Deno.writeTextFileSync(
      `${folder}/${n}.${n === 0 ? "ts" : extension}`,
      `const a = 1;\n// a needle ${n % 1000}\n${"more();\n".repeat(20)}`,
    );
    Deno.writeTextFileSync(`${cwd}/flat/${n}.ts`, "");
  }
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
