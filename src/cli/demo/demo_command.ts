import { startRun } from "../../host/run.ts";
import { EXIT_CODES } from "../../protocol/exit_codes.ts";
import { answerOf } from "../../protocol/run_result.ts";
import { createFullProgress } from "../progress.ts";
import type { CommandLine } from "../options/command_table.ts";
import type { Surroundings } from "../program.ts";
import { runHeadless } from "../run_headless.ts";
import { terminalText } from "../terminal_text.ts";
import { buildFacts } from "../version.ts";
import { DemoPage } from "./demo_page.ts";
import {
  loadRecording,
  type Recording,
  runCheck,
  writeProject,
} from "./demo_project.ts";

const NEXT = [
  'ANTHROPIC_API_KEY=… tau -p "what does this project do?"',
  'OPENAI_API_KEY=…    tau -p "write a test for the parser"',
  'tau -p --model ollama/qwen3 "…"       a local server, no key',
  "tau --help                            all options",
];
const INDENT = "  ";

/**
 * `tau demo`: a recorded run on a copy of a small project, with the real tools,
 * and the project's own check after it. Returns the exit code of the run, or 1
 * when the check fails.
 */
export async function demoCommand(
  { given: { keep } }: CommandLine<"demo">,
  surroundings: Surroundings,
): Promise<number> {
  const { console } = surroundings;
  const folder = await Deno.makeTempDir({ prefix: "tau-demo-" });
  let exitCode: number;
  try {
    exitCode = await runIn(folder, surroundings);
  } finally {
    if (!keep) await Deno.remove(folder, { recursive: true });
  }
  if (keep) console.stdout.write(`\nThe project is in ${folder}\n`);
  return await console.settle(exitCode);
}

async function runIn(
  folder: string,
  surroundings: Surroundings,
): Promise<number> {
  const { console, env } = surroundings;
  const page = new DemoPage(console);
  await writeProject(folder);
  const recording = await loadRecording();
  page.heading(
    "tau demo: a recorded model, the real tools, a small project with a bug",
  );
  page.print("");
  page.heading("Prompt");
  page.print(recording.prompt, INDENT);
  // Lines of the run on stderr come after it.
  await console.stdout.flush();
  const exitCode = await replay(recording, { folder, page, ...surroundings });
  if (exitCode !== EXIT_CODES.completed) return exitCode;
  if (!await showCheck(folder, page)) {
    console.warn("The project's check failed after the run");
    return EXIT_CODES.internal_error;
  }
  page.print("");
  page.heading("Next, with a model:");
  for (const line of NEXT) page.print(line, INDENT);
  if ((await buildFacts()).form === "source") {
    page.print(
      `Without installing, tau is "${sourceCommand(env)}" in this folder.`,
    );
  }
  return exitCode;
}

function replay(
  { text, prompt }: Recording,
  { console, env, kernel, folder, page }: Surroundings & {
    folder: string;
    page: DemoPage;
  },
): Promise<number> {
  const { render } = page;
  const progress = createFullProgress((line) => page.print(line), render);
  return runHeadless({
    startRun,
    console,
    mode: {
      emit: (event) => progress.show(event),
      end(result) {
        progress.end();
        const answer = terminalText(answerOf(result)).trimEnd();
        if (answer !== "") page.print(answer);
      },
    },
    options: {
      prompt,
      cwd: folder,
      replay: { text, name: "the recording of tau demo" },
      updates: false,
      render,
      kernel,
      env,
    },
  });
}

/** Runs the project's check; shows its last line, or all of it when it fails. */
async function showCheck(folder: string, page: DemoPage): Promise<boolean> {
  const { passed, output } = await runCheck(folder);
  const lines = terminalText(output).trimEnd().split("\n");
  page.print("");
  page.heading("Checked once more, by tau demo itself: sh check.sh");
  for (const line of passed ? lines.slice(-1) : lines) page.print(line, INDENT);
  return passed;
}

/** Starts tau from its source, with the Deno that the demo was started with. */
function sourceCommand(env: Record<string, string>): string {
  const isNpx = env.npm_command === "exec";
  const deno = isNpx ? `npx -y deno@${Deno.version.deno}` : "deno";
  return `${deno} task tau`;
}
