import { startRun } from "../../host/run.ts";
import { EXIT_CODES } from "../../protocol/run_result.ts";
import type { Console } from "../console.ts";
import { createFullProgress } from "../progress.ts";
import type { RunSurroundings } from "../run_command.ts";
import { runHeadless } from "../run_headless.ts";
import { terminalText } from "../terminal_text.ts";
import { createTextMode } from "../text_mode.ts";
import { loadRecording, type Recording } from "./recording.ts";
import { runCheck } from "./run_check.ts";
import { writeProject } from "./write_project.ts";

const NEXT = `
Next, with a model:
  ANTHROPIC_API_KEY=… tau -p "what does this project do?"
  OPENAI_API_KEY=…    tau -p "write a test for the parser"
  tau -p --model ollama/qwen3 "…"       a local server, no key
  tau --help                            all options
`;

/**
 * `tau demo`: a recorded run on a copy of a small project, with the real tools,
 * and the project's own check after it. Returns the exit code of the run, or 1
 * when the check fails.
 */
export async function demoCommand(
  { keep }: { keep: boolean },
  surroundings: RunSurroundings,
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
  surroundings: RunSurroundings,
): Promise<number> {
  const { stdout } = surroundings.console;
  await writeProject(folder);
  const recording = await loadRecording();
  stdout.write(
    "tau demo: a recorded model, the real tools, a small project with a bug\n" +
      `\nPrompt\n  ${recording.prompt}\n`,
  );
  const exitCode = await replay(recording, { folder, ...surroundings });
  if (exitCode !== EXIT_CODES.completed) return exitCode;
  if (!await showCheck(folder, surroundings.console)) {
    return EXIT_CODES.internal_error;
  }
  stdout.write(NEXT);
  return exitCode;
}

function replay(
  { text, prompt }: Recording,
  { console, env, kernel, folder }: RunSurroundings & { folder: string },
): Promise<number> {
  const { stdout, stdoutIsTerminal } = console;
  const render = console.renderingFor("stdout");
  const progress = createFullProgress(
    (line) => stdout.write(`${line}\n`),
    render,
  );
  return runHeadless({
    startRun,
    console,
    mode: createTextMode({ stdout, isTerminal: stdoutIsTerminal, progress }),
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

async function showCheck(folder: string, console: Console): Promise<boolean> {
  const { passed, output } = await runCheck(folder);
  console.stdout.write(
    `\nThe project's own check, run by tau demo itself: sh check.sh\n${
      terminalText(output).replace(/^(?=.)/gm, "  ")
    }`,
  );
  if (!passed) console.warn("The project's check failed after the run");
  return passed;
}
